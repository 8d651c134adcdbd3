import { lineTrap } from './line-trap.ts';
import type { Scene } from './persona.ts';
import { decodeBase64, step, type TrapStep } from './trap.ts';

type TrapSession =
  | { readonly await: 'command' }
  | { readonly await: 'plain' }
  | { readonly await: 'name' }
  | { readonly await: 'password'; readonly user: string };

const COMMAND: TrapSession = { await: 'command' };
const REFUSED = '535 5.7.8 Error: authentication failed: authentication failure\r\n';
const NOT_BASE64 = '535 5.7.8 Error: authentication failed: Invalid base64 data in continued response\r\n';

const EXTENSIONS =
  '250-HOST\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-VRFY\r\n250-ETRN\r\n250-AUTH PLAIN LOGIN\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250 DSN\r\n';

/**
 * Imitates Postfix: offers AUTH PLAIN and LOGIN (RFC 4954), refuses every credential and accepts no mail. The
 * name in the client's greeting is its trait.
 */
export const smtpTrap = ({ persona: { host, system } }: Scene) =>
  lineTrap<TrapSession>({
    protocol: 'smtp',
    greeting: `220 ${host}.localdomain ESMTP ${system.postfix}\r\n`,
    begin: COMMAND,
    line(talk, line) {
      if (talk.await === 'command') return command(line, `${host}.localdomain`);
      if (line === '*') return step(COMMAND, { reply: '501 5.7.0 Authentication aborted\r\n' });
      if (talk.await === 'plain') return plain(line);
      return talk.await === 'name' ? name(line) : password(talk.user, line);
    },
  });

function command(line: string, host: string): TrapStep<TrapSession> {
  const [verb = '', argument = '', initial] = line.trim().split(/ +/);
  switch (verb.toUpperCase()) {
    case 'EHLO':
      return step(COMMAND, { reply: EXTENSIONS.replace('HOST', host), trait: `${verb} ${argument} ` });
    case 'HELO':
      return step(COMMAND, { reply: `250 ${host}\r\n`, trait: `${verb} ${argument} ` });
    case 'AUTH':
      return auth(argument, initial);
    case 'QUIT':
      return step(COMMAND, { reply: '221 2.0.0 Bye\r\n', end: true });
    case 'NOOP':
    case 'RSET':
      return step(COMMAND, { reply: '250 2.0.0 Ok\r\n' });
    case 'MAIL':
    case 'RCPT':
    case 'DATA':
    case 'VRFY':
    case 'EXPN':
      return step(COMMAND, { reply: '530 5.7.0 Authentication required\r\n' });
    default:
      return step(COMMAND, { reply: '502 5.5.2 Error: command not recognized\r\n' });
  }
}

function auth(mechanism: string, initial: string | undefined): TrapStep<TrapSession> {
  const trait = `AUTH ${mechanism} `;
  switch (mechanism.toUpperCase()) {
    case 'PLAIN':
      return initial === undefined ? step({ await: 'plain' }, { reply: '334 \r\n', trait }) : plain(initial);
    case 'LOGIN':
      // Every client expects "Username:" and "Password:" in base64.
      return initial === undefined ? step({ await: 'name' }, { reply: '334 VXNlcm5hbWU6\r\n', trait }) : name(initial);
    default:
      return step(COMMAND, {
        reply: '535 5.7.8 Error: authentication failed: Invalid authentication mechanism\r\n',
        trait,
      });
  }
}

/** RFC 4616: authorisation identity, NUL, user, NUL, password. */
function plain(line: string): TrapStep<TrapSession> {
  const [, user, secret] = decodeBase64(line)?.split('\0') ?? [];
  if (user === undefined || secret === undefined) return step(COMMAND, { reply: NOT_BASE64 });
  return step(COMMAND, { reply: REFUSED, attempts: [{ user, secret }] });
}

function name(line: string): TrapStep<TrapSession> {
  const user = decodeBase64(line);
  if (user === undefined) return step(COMMAND, { reply: NOT_BASE64 });
  return step({ await: 'password', user }, { reply: '334 UGFzc3dvcmQ6\r\n' });
}

function password(user: string, line: string): TrapStep<TrapSession> {
  const secret = decodeBase64(line);
  if (secret === undefined) return step(COMMAND, { reply: NOT_BASE64 });
  return step(COMMAND, { reply: REFUSED, attempts: [{ user, secret }] });
}
