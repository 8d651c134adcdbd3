/** Progress for people: on a terminal one line that is written over, elsewhere a line at a time and only when the text's first word changes. */
export function terminalProgress(stream: NodeJS.WriteStream = process.stderr): (text: string) => void {
  let last = '';
  return (text) => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${text}`);
    else if (text.split(' ', 1)[0] !== last) stream.write(`pulse: ${text}\n`);
    last = text.split(' ', 1)[0] ?? '';
  };
}
