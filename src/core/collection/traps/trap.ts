import { PROTOCOLS, type Protocol } from '../../evidence/protocols.ts';

/**
 * Credentials leave a connection only as a keyed hash. `secret` is a password, or the answer to our
 * challenge.
 */
export interface Attempt {
  readonly user: string;
  readonly secret: string;
}

/**
 * A trap's reaction to bytes. All texts on the wire are strings of code units 0 to 255, one per byte. `trait`: marks
 * the client's make, without name or password. It is part of the fingerprint until the first attempt.
 */
export interface TrapStep<State> {
  readonly state: State;
  readonly reply: string;
  readonly attempts: readonly Attempt[];
  readonly trait: string;
  readonly end: boolean;
}

/**
 * One protocol as a state machine: the same bytes always have the same outcome, however they are split. It
 * admits no client, runs nothing, and answers with prepared texts. Each trap limits its memory of a client;
 * the connection limits bytes and seconds.
 */
export interface Trap<State> {
  readonly protocol: SensorProtocol;
  open(): TrapStep<State>;
  receive(state: State, bytes: string): TrapStep<State>;
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);

export const step = <State>(state: State, change: Partial<Omit<TrapStep<State>, 'state'>> = {}): TrapStep<State> => ({
  state,
  reply: '',
  attempts: NO_ATTEMPTS,
  trait: '',
  end: false,
  ...change,
});

/** Writes the most significant byte first, `littleWireNumber` the least. @param size bytes, at most 4 */
export function wireNumber(value: number, size: number): string {
  let text = '';
  for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) text += String.fromCharCode((value >>> shift) & 255);
  return text;
}

export const littleWireNumber = (value: number, size: number): string =>
  [...wireNumber(value, size)].reverse().join('');

/** Reads up to four bytes, most significant first; `readLittleWireNumber`, least. Missing bytes count as 0. */
export function readWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + byteAt(text, at + i);
  return value;
}

export function readLittleWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + byteAt(text, at + i);
  return value;
}

const byteAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) & 255 : 0);

/**
 * Decodes base64, with or without padding, into code units 0 to 255; undefined if it is not base64 (RFC 4648
 * section 4).
 */
export function decodeBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

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

export const silentTrap = (protocol: SensorProtocol, greeting = ''): Trap<undefined> => ({
  protocol,
  open: () => step(undefined, { reply: greeting }),
  receive: () => step(undefined, { end: true }),
});
