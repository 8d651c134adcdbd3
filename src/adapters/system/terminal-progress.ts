/** Progress for people: on a terminal one line that is written over; elsewhere whole lines, each said once. An empty text ends the work. */
export function terminalProgress(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${text}`);
    else if (text === '') said.clear();
    else if (!said.has(text)) {
      said.add(text);
      stream.write(`pulse: ${text}\n`);
    }
  };
}
