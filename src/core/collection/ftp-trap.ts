import { lineTrap } from './line-trap.ts';
import { step } from './trap.ts';

/** undefined: no USER yet. */
type Talk = string | undefined;

/** Names under which a server is asked whether it is open to all (RFC 1635): a question, not a credential. */
const OPEN_TO_ALL = new Set(['anonymous', 'ftp']);

/** Refuses every log-in with USER and PASS (RFC 959). The other commands that a client sends before its log-in are its trait. */
export const ftpTrap = lineTrap<Talk>({
  protocol: 'ftp',
  greeting: '220 Ready\r\n',
  begin: undefined,
  line(user, line) {
    const [verb, rest] = [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)];
    switch (verb.toUpperCase()) {
      case 'USER':
        return step(rest, { reply: '331 Password required\r\n', trait: `${verb} ` });
      case 'PASS':
        if (user === undefined) return step(user, { reply: '503 USER comes first\r\n' });
        return step(undefined, { reply: '530 Not logged in\r\n', attempts: OPEN_TO_ALL.has(user.toLowerCase()) ? [] : [{ user, secret: rest }] });
      case 'QUIT':
        return step(user, { reply: '221 Goodbye\r\n', end: true });
      case 'AUTH':
      case 'FEAT':
      case 'OPTS':
        return step(user, { reply: '502 Not implemented\r\n', trait: `${verb} ` });
      default:
        return step(user, { reply: '530 Not logged in\r\n', trait: `${verb.slice(0, 8)} ` });
    }
  },
});
