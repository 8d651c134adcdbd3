/** What servers outside may answer with. */
import type { Socket } from 'node:net';

const head = (status: number, more = ''): string => `HTTP/1.1 ${status} x\r\n${more}\r\n`;
const SWITCH = head(101, 'Upgrade: x\r\nConnection: Upgrade\r\n');
const forever = (part: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(part), 50);
  socket.on('close', () => clearInterval(timer));
};

/** A text is sent and the connection stays open. */
export const ANSWERS: Readonly<Record<string, string | ((socket: Socket) => void)>> = {
  silence: '',
  ...Object.fromEntries([100, 102, 103, 150, 199].map((status) => [`${status}, no more`, head(status)])),
  switch: SWITCH,
  'switch without headers': head(101),
  'switch after 103': head(103) + SWITCH,
  'endless 103': forever(head(103)),
  'half a head': 'HTTP/1.1 200 OK\r\nContent-',
  'a head by bytes': forever('H'),
  'half a greeting': forever('220-x\r\n'),
  closed: (socket) => void socket.end(),
  reset: (socket) => void socket.resetAndDestroy(),
  'half a body': `${head(200, 'Content-Length: 100\r\n')}{`,
  'cut body': (socket) => void socket.end(`${head(200, 'Content-Length: 100\r\n')}{`),
  'half a packed body': `${head(200, 'Content-Encoding: gzip\r\nContent-Length: 100\r\n')}x`,
  'endless body': forever(`${head(200)}${'x'.repeat(1000)}`),
  redirect: head(302, 'Location: http://127.0.0.1:1/\r\nContent-Length: 0\r\n'),
};
