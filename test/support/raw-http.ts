import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Only a server that hangs lets an answer that must come wait for this long. */
const HANGS_MS = 20_000;

/** Sends bytes over one connection and returns every answer until the server closes it or falls silent. */
export function rawHttp(
  port: number,
  request: string | Uint8Array,
  options: { readonly quietMs?: number; readonly answers?: number } = {},
): Promise<readonly RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseAnswers(text));
    };
    let timer = setTimeout(finish, HANGS_MS);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      clearTimeout(timer);
      if (options.answers !== undefined && parseAnswers(text).length >= options.answers) return finish();
      timer = setTimeout(finish, options.quietMs ?? (options.answers === undefined ? 300 : HANGS_MS));
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? finish() : reject(error),
    );
    socket.write(request);
  });
}

function parseAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = Buffer.from(text, 'utf8');
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [first = '', ...lines] = rest.toString('utf8', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    if (rest.length < end + 4 + length) return answers;
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.toString('utf8', end + 4, end + 4 + length),
    });
    rest = rest.subarray(end + 4 + length);
  }
}
