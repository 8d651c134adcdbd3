export const CLEAR_LINE = '\r\x1b[2K';

/**
 * Shows progress: on a terminal one line that is overwritten, elsewhere each text once. An empty text ends the
 * work.
 */
export function terminalProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  say: (text: string) => void = (text) => void stream.write(`pulse: ${text}\n`),
): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (stream.isTTY) stream.write(`${CLEAR_LINE}${text}`);
    else if (text === '') said.clear();
    else if (!said.has(text)) {
      said.add(text);
      say(text);
    }
  };
}
