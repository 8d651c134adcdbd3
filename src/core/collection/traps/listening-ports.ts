import { ftpTrap } from './ftp-trap.ts';
import { httpTrap } from './http-trap.ts';
import { mysqlTrap } from './mysql-trap.ts';
import type { Scene } from './persona.ts';
import { postgresqlTrap } from './postgresql-trap.ts';
import { rdpTrap } from './rdp-trap.ts';
import { redisTrap } from './redis-trap.ts';
import { smtpTrap } from './smtp-trap.ts';
import { telnetTrap } from './telnet-trap.ts';
import { SENSOR_PROTOCOLS, type SensorProtocol, sensorProtocol, silentTrap, type Trap } from './trap.ts';
import { vncTrap } from './vnc-trap.ts';

export interface ListeningPort {
  readonly port: number;
  /**
   * Clients connect to this port and captures name it. It differs where a firewall or a container forwards
   * it.
   */
  readonly publicPort: number;
  readonly protocol: SensorProtocol;
}

const MOST_SCANNED = [
  21, 22, 23, 25, 80, 81, 443, 445, 587, 1080, 1433, 2222, 2323, 3128, 3306, 3389, 5432, 5555, 5900, 6379, 7547, 8000,
  8080, 8081, 8443, 8888, 9200, 11211, 27017, 37215,
];

export const DEFAULT_LISTENING_PORTS: readonly ListeningPort[] = MOST_SCANNED.map((port) => ({
  port,
  publicPort: port,
  protocol: sensorProtocol(port),
}));

const PORTS_MAX = 1024;

/** Reads `[PUBLIC:]PORT[/PROTOCOL]`, several separated by commas. @returns the ports, or the fault */
export function readListeningPorts(texts: readonly string[]): readonly ListeningPort[] | string {
  const ports: ListeningPort[] = [];
  for (const entry of texts.flatMap((text) => text.split(',')).map((text) => text.trim())) {
    const read = readEntry(entry);
    if (read === undefined)
      return `${JSON.stringify(entry)} is not [PUBLIC:]PORT[/PROTOCOL] with ports from 1 to 65535 and a protocol of ${SENSOR_PROTOCOLS.join(', ')}`;
    if (ports.some(({ port }) => port === read.port)) return `port ${read.port} is named twice`;
    ports.push(read);
  }
  return ports.length > PORTS_MAX ? `at most ${PORTS_MAX} ports` : ports;
}

function readEntry(entry: string): ListeningPort | undefined {
  const [, before, local, name] = /^(?:(\d{1,5}):)?(\d{1,5})(?:\/([a-z]+))?$/.exec(entry) ?? [];
  const port = Number(local);
  const publicPort = before === undefined ? port : Number(before);
  const protocol = SENSOR_PROTOCOLS.find((one) => one === name);
  if (!isPort(port) || !isPort(publicPort) || (name !== undefined && protocol === undefined)) return undefined;
  return { port, publicPort, protocol: protocol ?? sensorProtocol(publicPort) };
}

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

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
