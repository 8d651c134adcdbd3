/** Back to the first column, and nothing on the line. */
export const CLEAR_LINE = '\r\x1b[2K';

/** Progress for people: on a terminal one line that is written over; elsewhere whole lines, each said once. An empty text ends the work. */
export function terminalProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (stream.isTTY) stream.write(`${CLEAR_LINE}${text}`);
    else if (text === '') said.clear();
    else if (!said.has(text)) {
      said.add(text);
      stream.write(`pulse: ${text}\n`);
    }
  };
}
