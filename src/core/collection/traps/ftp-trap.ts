import { lineTrap } from './line-trap.ts';
import type { Scene } from './persona.ts';
import { step } from './trap.ts';

type TrapSession = string | undefined;

/** Users ask with these names whether a server is open to all (RFC 1635), so they are not credentials. */
const OPEN_TO_ALL = new Set(['anonymous', 'ftp']);

const WORDS = {
  vsftpd: { password: () => 'Please specify the password.', user: 'Login with USER first.', out: 'Login incorrect.', bye: 'Goodbye.', login: 'Please login with USER and PASS.', unknown: '530 Please login with USER and PASS.' },
  proftpd: { password: (user: string) => `Password required for ${user}`, user: 'Login with USER first', out: 'Login incorrect.', bye: 'Goodbye.', login: 'Please login with USER and PASS', unknown: '500 AUTH not understood' },
}; // biome-ignore format: a row a server

/**
 * Refuses every login with USER and PASS (RFC 959). The other commands that a client sends before it logs in
 * are its trait.
 */
export const ftpTrap = ({ persona: { ftp, host, system } }: Scene) =>
  lineTrap<TrapSession>({
    protocol: 'ftp',
    greeting: ftp === 'vsftpd' ? `220 (vsFTPd ${system.vsftpd})\r\n` : `220 ProFTPD Server (${host})\r\n`,
    begin: undefined,
    line(user, line) {
      const words = WORDS[ftp];
      const [verb, rest] = [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)];
      switch (verb.toUpperCase()) {
        case 'USER':
          return step(rest, { reply: `331 ${words.password(rest)}\r\n`, trait: `${verb} ` });
        case 'PASS':
          if (user === undefined) return step(user, { reply: `503 ${words.user}\r\n` });
          return step(undefined, {
            reply: `530 ${words.out}\r\n`,
            attempts: OPEN_TO_ALL.has(user.toLowerCase()) ? [] : [{ user, secret: rest }],
          });
        case 'QUIT':
          return step(user, { reply: `221 ${words.bye}\r\n`, end: true });
        case 'AUTH':
        case 'FEAT':
        case 'OPTS':
          return step(user, { reply: `${words.unknown}\r\n`, trait: `${verb} ` });
        default:
          return step(user, { reply: `530 ${words.login}\r\n`, trait: `${verb.slice(0, 8)} ` });
      }
    },
  });
