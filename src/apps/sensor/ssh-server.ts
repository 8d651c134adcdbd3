import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import ssh2, {
  type AuthContext,
  type CipherAlgorithm,
  type Connection,
  type KexAlgorithm,
  type MacAlgorithm,
  type Server,
} from 'ssh2';
import type { SshPersona } from '../../core/collection/traps/persona.ts';
import { SSH_HEAD_MAX, sshClientTrait } from '../../core/collection/traps/read-opening.ts';
import type { SessionPeer, TrapSession } from './take-connection.ts';

const METHODS: ['password', 'keyboard-interactive'] = ['password', 'keyboard-interactive'];

export type OpenSshSession = (side: SessionPeer) => TrapSession;

/**
 * Makes an SSH server that refuses every authentication. Compression is off, because unpacking could be made
 * expensive.
 */
export function sshServer(hostKeys: readonly string[], { ident, kex, ciphers, macs }: SshPersona): OpenSshSession {
  const server = new ssh2.Server({
    hostKeys: [...hostKeys],
    ident,
    algorithms: {
      compress: ['none'],
      kex: kex as KexAlgorithm[],
      cipher: ciphers as CipherAlgorithm[],
      hmac: macs as MacAlgorithm[],
    },
  });
  // ssh2 reports a client later than its connection was opened; the wire leads from that report back to its
  // side.
  const sides = new WeakMap<object, SessionPeer>();
  server.on('connection', (client) =>
    listenTo(client, sides.get((client as unknown as { readonly _sock: object })._sock)),
  );
  return (side) => openSession(server, side, sides);
}

function openSession(server: Server, side: SessionPeer, sides: WeakMap<object, SessionPeer>): TrapSession {
  const wire = new Wire(side);
  sides.set(wire, side);
  server.injectSocket(wire as unknown as Socket);
  let beginning = '';
  return {
    receive(bytes) {
      if (beginning.length < SSH_HEAD_MAX) {
        beginning += bytes.subarray(0, SSH_HEAD_MAX - beginning.length).toString('latin1');
        const trait = sshClientTrait(beginning);
        if (trait !== undefined) {
          side.trait(trait);
          beginning = ' '.repeat(SSH_HEAD_MAX);
        }
      }
      wire.receive(bytes);
    },
    closed: () => wire.closed(),
  };
}

function listenTo(client: Connection, side: SessionPeer | undefined): void {
  if (side === undefined) throw new Error('ssh2 reported a client of no talk');
  // Faults of clients are not ours; ssh2 closes the connection.
  client.on('error', () => undefined);
  // A password guesser exchanges keys only once. ssh2 reports a second exchange only after its cost is spent.
  // Without an offer of ours no second one begins: the error ends the client.
  client.once('handshake', () => {
    (client as unknown as { readonly _protocol: { _offer: unknown } })._protocol._offer = undefined;
  });
  client.on('authentication', (context) => refuse(context, side));
}

function refuse(context: AuthContext, side: SessionPeer): void {
  const { username: user } = context;
  if (context.method === 'keyboard-interactive') {
    context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => {
      side.attempt({ user, secret: answers.join('\n') });
      context.reject(METHODS);
    });
    return;
  }
  if (context.method === 'password') side.attempt({ user, secret: context.password });
  else if (context.method === 'publickey')
    side.attempt({ user, secret: createHash('sha256').update(context.key.data).digest('base64') });
  context.reject(METHODS);
}

/**
 * Stands in for ssh2's socket. Bytes reach ssh2 within our call, so an error that it throws over a hostile
 * client ends only that client.
 */
class Wire extends EventEmitter {
  readonly writable = true;
  readonly _readableState = { ended: false };
  readonly #side: SessionPeer;
  #waiting: Buffer[] | undefined = [];

  constructor(side: SessionPeer) {
    super();
    this.#side = side;
  }

  receive(bytes: Buffer): void {
    if (this.#waiting !== undefined) this.#waiting.push(bytes);
    else this.#emitData(bytes);
  }

  closed(): void {
    this._readableState.ended = true;
    this.emit('end');
    this.emit('close');
    this.removeAllListeners();
  }

  write(bytes: Uint8Array): boolean {
    this.#side.send(bytes);
    return true;
  }

  end(): void {
    this._readableState.ended = true;
    this.#side.end();
  }

  destroy(): void {
    this.end();
  }

  pause(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const bytes of waiting) this.#emitData(bytes);
  }

  #emitData(bytes: Buffer): void {
    if (this._readableState.ended) return;
    try {
      this.emit('data', bytes);
    } catch {
      // ssh2 did not expect this message here. Such a client is not worth a log line: it is closed, and its
      // earlier offers are kept.
      this.end();
    }
  }
}

/**
 * Makes a private SSH host key in OpenSSH's format. Some one in two hundred of the Ed25519 keys that ssh2
 * makes are unreadable to ssh2 itself, and are made again.
 */
export function makeHostKey(type: 'ed25519' | 'rsa'): string {
  for (;;) {
    const key =
      type === 'rsa'
        ? ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private
        : ssh2.utils.generateKeyPairSync('ed25519').private;
    if (isHostKey(key)) return key;
  }
}

export const isHostKey = (text: string): boolean => !(ssh2.utils.parseKey(text) instanceof Error);
