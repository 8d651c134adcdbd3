import { createServer, type Server } from 'node:net';

export interface MailServer {
  readonly url: string;
  readonly mails: string[];
  /** Returns the decoded texts of the mails, oldest first. */
  texts(): readonly string[];
  close(): void;
}

/** The server accepts every mail and keeps it. */
export function mailServer(): Promise<MailServer> {
  const mails: string[] = [];
  const server: Server = createServer((socket) => {
    let [data, buffer] = [false, ''];
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      buffer += chunk.toString();
      for (;;) {
        const end = data ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
        if (end < 0) return;
        const part = buffer.slice(0, end);
        buffer = buffer.slice(end + (data ? 5 : 2));
        if (data) mails.push(part);
        data = !data && /^data/i.test(part);
        socket.write(/^quit/i.test(part) ? '221 bye\r\n' : data ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
    socket.on('error', () => {});
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        url: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
        mails,
        texts: () => mails.map(decoded),
        close: () => server.close(),
      });
    }),
  );
}

function decoded(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/content-transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
