import { ftpTrap } from './ftp-trap.ts';
import { httpTrap } from './http-trap.ts';
import { mysqlTrap } from './mysql-trap.ts';
import type { Scene } from './persona.ts';
import { postgresqlTrap } from './postgresql-trap.ts';
import { rdpTrap } from './rdp-trap.ts';
import { redisTrap } from './redis-trap.ts';
import type { SensorProtocol } from './sensor-protocol.ts';
import { silentTrap } from './silent-trap.ts';
import { smtpTrap } from './smtp-trap.ts';
import { telnetTrap } from './telnet-trap.ts';
import type { Trap } from './trap.ts';
import { vncTrap } from './vnc-trap.ts';

/** SSH is absent because its bytes are encrypted. */
export const makeTrap = (protocol: Exclude<SensorProtocol, 'ssh'>, scene: Scene): Trap<unknown> =>
  TRAPS[protocol](scene) as Trap<unknown>;

const TRAPS: Readonly<Record<Exclude<SensorProtocol, 'ssh'>, (scene: Scene) => unknown>> = {
  telnet: telnetTrap,
  http: httpTrap,
  smtp: smtpTrap,
  ftp: ftpTrap,
  redis: redisTrap,
  mysql: mysqlTrap,
  postgresql: postgresqlTrap,
  vnc: vncTrap,
  rdp: () => rdpTrap,
  smb: () => silentTrap('smb'),
  tcp: () => silentTrap('tcp'),
};
