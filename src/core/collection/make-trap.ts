import { ftpTrap } from './ftp-trap.ts';
import { httpTrap } from './http-trap.ts';
import { mysqlTrap } from './mysql-trap.ts';
import { postgresqlTrap } from './postgresql-trap.ts';
import { rdpTrap } from './rdp-trap.ts';
import { redisTrap } from './redis-trap.ts';
import type { SensorProtocol } from './sensor-protocol.ts';
import { silentTrap } from './silent-trap.ts';
import { smtpTrap } from './smtp-trap.ts';
import { telnetTrap } from './telnet-trap.ts';
import type { Trap } from './trap.ts';
import { vncTrap } from './vnc-trap.ts';

/**
 * The trap of a protocol. SSH, whose bytes are encrypted, is not among them.
 * @param nonce 20 bytes, none of them 0, the same at every start of a sensor: challenges are made of it
 */
export function makeTrap(protocol: Exclude<SensorProtocol, 'ssh'>, nonce: string): Trap<unknown> {
  return traps(nonce)[protocol] as Trap<unknown>;
}

const traps = (nonce: string): Readonly<Record<Exclude<SensorProtocol, 'ssh'>, unknown>> => ({
  telnet: telnetTrap,
  http: httpTrap,
  smtp: smtpTrap,
  ftp: ftpTrap,
  redis: redisTrap,
  mysql: mysqlTrap(nonce),
  postgresql: postgresqlTrap,
  rdp: rdpTrap,
  vnc: vncTrap(nonce.slice(0, 16)),
  smb: silentTrap('smb'),
  tcp: silentTrap('tcp'),
});
