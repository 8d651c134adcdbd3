import { PROTOCOLS, type Protocol } from '../../evidence/protocols.ts';

/**
 * A sensor speaks these protocols, or only listens: `smb` and `tcp` answer nothing. UDP is absent because its
 * sender address can be forged.
 */
export type SensorProtocol = Exclude<Protocol, 'udp'>;

export const SENSOR_PROTOCOLS: readonly SensorProtocol[] = PROTOCOLS.filter((one) => one !== 'udp');

const WELL_KNOWN: Readonly<Record<number, SensorProtocol>> = {
  21: 'ftp',
  22: 'ssh',
  23: 'telnet',
  25: 'smtp',
  80: 'http',
  81: 'http',
  445: 'smb',
  587: 'smtp',
  2222: 'ssh',
  2323: 'telnet',
  3306: 'mysql',
  3389: 'rdp',
  5432: 'postgresql',
  5900: 'vnc',
  6379: 'redis',
  8000: 'http',
  8080: 'http',
  8081: 'http',
  8888: 'http',
};

export const sensorProtocol = (port: number): SensorProtocol => WELL_KNOWN[port] ?? 'tcp';
