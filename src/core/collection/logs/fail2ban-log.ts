import type { UnixMs } from '../../units.ts';
import { canonicalAddress, type LogProtocol, type LogReader, type WallTime } from './log-event.ts';

/**
 * `2026-11-22 08:00:00,123 fail2ban.actions [812]: NOTICE [sshd] Ban 198.14.0.1`; spaces vary with the
 * version.
 */
const BAN =
  /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d),(\d{3}) fail2ban\.actions[^[]{0,40}\[\d{1,10}\]: {0,4}[A-Z]{1,10} {1,10}\[([^\]]{1,100})\] Ban (\S{1,64})\s{0,4}$/;

/** A part of a jail's name tells which protocol it guards; the first match counts. */
const GUARDED: readonly (readonly [part: string, protocol: LogProtocol, offers: boolean])[] = [
  ['ssh', 'ssh', true],
  ['dropbear', 'ssh', true],
  ['sasl', 'smtp', true],
  ['postfix', 'smtp', false],
  ['exim', 'smtp', false],
  ['sendmail-auth', 'smtp', true],
  ['sendmail', 'smtp', false],
  ['dovecot', 'tcp', true],
  ['courier', 'tcp', true],
  ['cyrus', 'tcp', true],
  ['ftp', 'ftp', true],
  ['mysql', 'mysql', true],
  ['mssql', 'tcp', true],
];

/** A page of another site can make a browser send requests to these web servers until it is banned. */
const OF_WEB = ['http', 'nginx', 'apache', 'php', 'web', 'wordpress'];

/**
 * Reads the log of fail2ban (`fail2ban.log`). A ban is evidence; found lines are not, because the jail's
 * threshold separates a slip from an attack. Bans restored at a start ("Restore Ban") were reported before.
 * The name of the jail identifies the guarded service. Jails with unknown names, `recidive` and those of web
 * servers are skipped.
 * @param timeOf converts its times, which name no zone
 */
export const fail2banLog = (timeOf: (time: WallTime) => UnixMs | undefined): LogReader => ({
  isOfFormat: (line) => / fail2ban\.\w+/.test(line),
  read(line) {
    const match = BAN.exec(line);
    if (match === null) return undefined;
    const part = (index: number): number => Number(match[index]);
    const at = timeOf({
      year: part(1),
      month: part(2),
      day: part(3),
      hour: part(4),
      minute: part(5),
      second: part(6),
      ms: part(7),
    });
    const ip = canonicalAddress(match[9]!);
    const jail = match[8]!.toLowerCase();
    const guarded = OF_WEB.some((part) => jail.includes(part))
      ? undefined
      : GUARDED.find(([name]) => jail.includes(name));
    if (at === undefined || ip === undefined || guarded === undefined) return undefined;
    const [, protocol, offers] = guarded;
    return { ip, riskType: offers ? 'honeypot_credential' : 'honeypot_scan', protocol, at };
  },
});
