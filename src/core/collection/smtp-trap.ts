import { decodeBase64 } from './decode-base64.ts';
import { lineTrap } from './line-trap.ts';
import { step, type TrapStep } from './trap.ts';

/** What the next line is. */
type Talk = { readonly await: 'command' } | { readonly await: 'plain' } | { readonly await: 'name' } | { readonly await: 'password'; readonly user: string };

const COMMAND: Talk = { await: 'command' };
const REFUSED = '535 5.7.8 Authentication failed\r\n';

/** Offers AUTH PLAIN and LOGIN (RFC 4954), refuses every credential and takes no mail. The name a client greets with is its trait. */
export const smtpTrap = lineTrap<Talk>({
  protocol: 'smtp',
  greeting: '220 mail ESMTP\r\n',
  begin: COMMAND,
  line(talk, line) {
    if (talk.await === 'command') return command(line);
    if (line === '*') return step(COMMAND, { reply: '501 5.7.0 Cancelled\r\n' });
    if (talk.await === 'plain') return plain(line);
    return talk.await === 'name' ? name(line) : password(talk.user, line);
  },
});

function command(line: string): TrapStep<Talk> {
  const [verb = '', argument = '', initial] = line.trim().split(/ +/);
  switch (verb.toUpperCase()) {
    case 'EHLO':
      return step(COMMAND, { reply: '250-mail\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n', trait: `${verb} ${argument} ` });
    case 'HELO':
      return step(COMMAND, { reply: '250 mail\r\n', trait: `${verb} ${argument} ` });
    case 'AUTH':
      return auth(argument, initial);
    case 'QUIT':
      return step(COMMAND, { reply: '221 2.0.0 Goodbye\r\n', end: true });
    case 'NOOP':
    case 'RSET':
      return step(COMMAND, { reply: '250 2.0.0 OK\r\n' });
    case 'MAIL':
    case 'RCPT':
    case 'DATA':
    case 'VRFY':
    case 'EXPN':
      return step(COMMAND, { reply: '530 5.7.0 Authentication required\r\n' });
    default:
      return step(COMMAND, { reply: '502 5.5.1 Not implemented\r\n' });
  }
}

function auth(mechanism: string, initial: string | undefined): TrapStep<Talk> {
  const trait = `AUTH ${mechanism} `;
  switch (mechanism.toUpperCase()) {
    case 'PLAIN':
      return initial === undefined ? step({ await: 'plain' }, { reply: '334 \r\n', trait }) : plain(initial);
    case 'LOGIN':
      // "Username:" and "Password:" in base64, as every client expects them.
      return initial === undefined ? step({ await: 'name' }, { reply: '334 VXNlcm5hbWU6\r\n', trait }) : name(initial);
    default:
      return step(COMMAND, { reply: '504 5.5.4 Mechanism not known\r\n', trait });
  }
}

/** RFC 4616: authorisation identity, zero, user, zero, password. */
function plain(line: string): TrapStep<Talk> {
  const [, user, secret] = decodeBase64(line)?.split('\0') ?? [];
  if (user === undefined || secret === undefined) return step(COMMAND, { reply: '501 5.5.2 Not base64\r\n' });
  return step(COMMAND, { reply: REFUSED, attempts: [{ user, secret }] });
}

function name(line: string): TrapStep<Talk> {
  const user = decodeBase64(line);
  if (user === undefined) return step(COMMAND, { reply: '501 5.5.2 Not base64\r\n' });
  return step({ await: 'password', user }, { reply: '334 UGFzc3dvcmQ6\r\n' });
}

function password(user: string, line: string): TrapStep<Talk> {
  const secret = decodeBase64(line);
  if (secret === undefined) return step(COMMAND, { reply: '501 5.5.2 Not base64\r\n' });
  return step(COMMAND, { reply: REFUSED, attempts: [{ user, secret }] });
}
