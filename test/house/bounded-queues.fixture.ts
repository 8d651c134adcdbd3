export interface Bound {
  /** Beginning of the line. */
  readonly line: string;
  /** Text that keeps the bound, in the same file or in the one that is named. */
  readonly bound?: string;
  readonly file?: string;
  /** Why it needs no bound of its own. */
  readonly reason?: string;
}

const LIMITS = 'src/apps/http/connection/limit-connections.ts';
const OF_CONNECTIONS: Pick<Bound, 'bound' | 'file'> = {
  bound: 'server.maxConnections = limits.connectionsMax',
  file: LIMITS,
};
const OF_PIPELINING: Pick<Bound, 'bound' | 'file'> = { bound: 'if (waiting > PIPELINED_MAX)', file: LIMITS };
const OF_CODE = { reason: 'filled once, from the table of routes' };

export const BOUNDS: Readonly<Record<string, readonly Bound[]>> = {
  'src/apps/http/connection/bytes-of.ts': [
    { line: 'const chunks: Buffer[] = []', bound: 'length <= IP_BATCH_BODY_MAX_BYTES' },
  ],
  'src/apps/http/connection/app-pipe.ts': [
    { line: 'function without(', reason: 'the lines of one head, which node:http bounds' },
    { line: 'readonly #held = new Map', bound: 'this.#movedAt.size < this.#relaysMax' },
    { line: 'readonly #queue = new Map', bound: 'this.#queue.size < QUEUE_MAX' },
    { line: 'readonly #movedAt = new Map', bound: 'this.#movedAt.size < this.#relaysMax' },
    { line: 'this.#agent = new nodeHttp.Agent', bound: 'maxSockets: relaysMax, maxFreeSockets: relaysMax' },
  ],
  'src/apps/http/chains.ts': [{ line: 'const chain = ', ...OF_CODE }],
  'src/apps/http/connection/closing-connections.ts': [
    { line: 'readonly #taken = new Set', ...OF_CONNECTIONS },
    { line: 'readonly #ending = new WeakSet', ...OF_CONNECTIONS },
  ],
  'src/apps/http/create-app.ts': [
    { line: 'const begun = new WeakMap', ...OF_CONNECTIONS },
    { line: 'const all = new Set', ...OF_PIPELINING },
  ],
  'src/apps/http/connection/create-http-server.ts': [
    { line: 'const server = nodeHttp.createServer(', ...OF_CONNECTIONS },
    { line: 'const fresh = new Set', ...OF_CONNECTIONS },
  ],
  'src/apps/http/connection/require-seal.ts': [{ line: 'const unsealed = new Map', ...OF_CONNECTIONS }],
  'src/apps/http/exchange.ts': [{ line: 'counted: readonly LimitCounter[] = []', reason: 'replaced, never added to' }],
  'src/apps/http/known-paths.ts': [
    { line: 'const known = new Map', ...OF_CODE },
    { line: 'const entry = known.get(pattern)', ...OF_CODE },
    { line: 'const methods = new Set', ...OF_CODE },
  ],
  'src/apps/http/connection/limit-connections.ts': [
    { line: 'const open = new Map', ...OF_CONNECTIONS },
    { line: 'const reported = new Map', reason: 'two kinds of reports' },
  ],
  'src/apps/http/connection/request-turns.ts': [
    { line: 'readonly #holds = new WeakMap', bound: 'this.#waiting >= this.#waitingMax' },
  ],
  'src/apps/http/lane/response-batch.ts': [
    { line: '#answers: Answer[] = []', ...OF_PIPELINING },
    { line: '#waiting: {', ...OF_PIPELINING },
    { line: 'this.#answers = []', ...OF_PIPELINING },
    { line: 'this.#waiting = []', ...OF_PIPELINING },
  ],
  'src/apps/http/route-finder.ts': [
    { line: 'const exact = new Map', ...OF_CODE },
    { line: 'const shaped: {', ...OF_CODE },
  ],
  'src/apps/http/lane/answer-ip-batch.ts': [
    { line: 'readonly #free: ByteWriter[] = []', bound: 'this.#free.length < KEPT' },
  ],
  'src/apps/metrics/create-metrics-server.ts': [
    { line: 'const server = nodeHttp.createServer(', bound: 'server.maxConnections = CONNECTIONS_MAX' },
  ],
  'src/apps/metrics/metrics-text.ts': [{ line: 'readonly #samples = new Map', reason: 'the names of the metrics' }],
  'src/main/threads/control-threads.ts': [
    { line: 'readonly #threads = new Set', reason: 'PULSE_WORKERS and the app thread' },
    { line: 'readonly #fds = new Map', reason: 'one for each living thread' },
    { line: 'readonly #viewing = new Set', reason: 'one for each living thread' },
    { line: 'async start(', reason: 'the sockets of a predecessor, one for each of its threads' },
    { line: 'worker: new Worker(', reason: 'one in place of a dead one' },
  ],
  'src/main/threads/thread-data.ts': [
    { line: 'readonly #waiting: EvidenceMessage[] = []', reason: 'one message a look for changes of the store' },
  ],
  'src/main/threads/health-server.ts': [
    { line: 'this.#server = nodeHttp.createServer(', bound: 'this.#server.maxConnections = CONNECTIONS_MAX' },
  ],
};
