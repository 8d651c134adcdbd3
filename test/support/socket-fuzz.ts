/**
 * Draws conversations over raw sockets: allowed and forbidden bytes of a client, in one connection, in any
 * pieces, left in any way. Each says which answers it must get, in which order; a repeatable generator draws
 * them, so that a failure can be run again.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { randomBelow } from './random.ts';

interface Part {
  readonly text: string;
  /**
   * Texts `status code` of the answers it may get; the code is empty for success. It gets one of them, unless
   * the connection ended before.
   */
  readonly answers: readonly string[];
  readonly bodiless?: boolean;
  /**
   * The connection ends after the answer: always, without a word of it in the answer, or when something came
   * with it in one piece.
   */
  readonly last?: boolean | 'unsaid' | 'perhaps';
}

const LOOKUP = '/v1/ip/8.8.8.8';
const HOST = 'Host: a\r\n';
const WAITED = 'Expect: 100-continue\r\n';
const line = (method: string, path: string, lines = '', body = ''): string =>
  `${method} ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`;
const BODY = (length: number): readonly [string, string] => [
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n`,
  'x'.repeat(length),
];
const OK = ['200 '];
const NOT_FOUND = ['404 not_found'];
const NOT_ALLOWED = ['405 method_not_allowed'];
const BROKEN = ['400 bad_request'];
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

export const STAYING: readonly Part[] = [
  { text: line('GET', LOOKUP), answers: OK },
  { text: line('HEAD', LOOKUP), answers: OK, bodiless: true },
  { text: line('OPTIONS', LOOKUP), answers: ['204 '], bodiless: true },
  { text: line('GET', '/v1/ip/zz'), answers: ['400 invalid_ip'] },
  { text: line('GET', `/pulse${LOOKUP}`), answers: ['401 key_required'] },
  { text: line('GET', '/healthz'), answers: OK },
  { text: line('GET', '/nothing'), answers: NOT_FOUND },
  { text: `GET ${LOOKUP} HTTP/1.1\r\n\r\n`, answers: BROKEN },
  ...[LOOKUP, '/v1/me', '/healthz'].map((path) => ({ text: line('TRACE', path), answers: NOT_ALLOWED })),
  { text: line('TRACE', '/nothing'), answers: NOT_FOUND },
  ...[LOOKUP, `/pulse${LOOKUP}`, '/v1/me', '/healthz', '/mcp', '/nothing'].map((path) => ({
    text: line('GET', path, 'Expect: x\r\n'),
    answers: BROKEN,
  })),
  { text: line('POST', '/v1/evidence', `Expect: x\r\n${BODY(40)[0]}`, BODY(40)[1]), answers: BROKEN },
  { text: line('HEAD', LOOKUP, 'Expect: x\r\n'), answers: ['400 '], bodiless: true },
  { text: line('GET', LOOKUP, WAITED), answers: OK },
  { text: line('GET', '/nothing', WAITED), answers: NOT_FOUND },
  ...[100, 70_000].flatMap((length) => {
    const [lines, body] = BODY(length);
    return [
      { text: line('POST', '/v1/evidence', WAITED + lines, body), answers: ['401 key_required'] },
      { text: line('POST', LOOKUP, WAITED + lines, body), answers: NOT_ALLOWED },
      { text: line('POST', '/nothing', lines, body), answers: NOT_FOUND },
      { text: line('PUT', '/healthz', lines, body), answers: NOT_ALLOWED },
      { text: line('GET', LOOKUP, lines, body), answers: OK },
    ];
  }),
  { text: line('POST', '/v1/evidence', CHUNKED, '5\r\nabcde\r\n0\r\n\r\n'), answers: ['401 key_required'] },
  {
    text: line('GET', LOOKUP, 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'),
    answers: OK,
    last: 'perhaps',
  },
  {
    text: line('GET', '/nothing', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'),
    answers: NOT_FOUND,
    last: 'perhaps',
  },
  {
    text: line('POST', '/nothing', `Connection: Upgrade\r\nUpgrade: x\r\n${BODY(30)[0]}`, BODY(30)[1]),
    answers: NOT_FOUND,
    last: 'perhaps',
  },
];

export const ENDING: readonly Part[] = [
  { text: line('GET', LOOKUP, 'Connection: close\r\n'), answers: OK },
  { text: line('GET', '/nothing', 'Connection: close\r\n'), answers: NOT_FOUND },
  { text: line('POST', '/nothing', `Connection: close\r\n${BODY(200_000)[0]}`, BODY(200_000)[1]), answers: NOT_FOUND },
  { text: line('GET', LOOKUP, 'Connection: close\r\nExpect: x\r\n'), answers: BROKEN },
  { text: line('CONNECT', 'a:1'), answers: NOT_ALLOWED },
  { text: line('CONNECT', 'a:1', BODY(50)[0], BODY(50)[1]), answers: NOT_ALLOWED },
  { text: line('CONNECT', 'a:1', CHUNKED, '5\r\nabcde\r\n0\r\n\r\n'), answers: NOT_ALLOWED },
  { text: line('CONNECT', 'a:1', 'Expect: x\r\n'), answers: NOT_ALLOWED },
  { text: `GET ${LOOKUP}\r\n\r\n`, answers: BROKEN },
  { text: `GET ${LOOKUP} HTTP/1.0\r\n\r\n`, answers: OK },
  { text: 'GET /nothing HTTP/1.0\r\nExpect: x\r\n\r\n', answers: NOT_FOUND },
  { text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', answers: BROKEN },
  { text: '\x16\x03\x01\x02\0\x01\0\r\n\r\n', answers: BROKEN },
  { text: `GET ${LOOKUP} HTTP/1.2\r\n\r\n`, answers: BROKEN },
  // An unknown method stops the parser, perhaps before the path has come.
  { text: 'FOO /nothing HTTP/1.1\r\n\r\n', answers: [...NOT_FOUND, ...BROKEN] },
  { text: `FOO ${LOOKUP} HTTP/1.1\r\n\r\n`, answers: [...NOT_ALLOWED, ...BROKEN] },
  { text: line('GET', LOOKUP, `X: ${'y'.repeat(20_000)}\r\n`), answers: ['413 payload_too_large'] },
  // The part before the broken body may have been answered by then.
  {
    text: line('POST', '/v1/evidence', CHUNKED, 'zz\r\n'),
    answers: [...BROKEN, '401 key_required'],
    last: 'unsaid' as const,
  },
  { text: line('GET', LOOKUP, 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), answers: BROKEN },
].map((part) => ({ last: true, ...part }) satisfies Part);

type Leaving = 'waits' | 'half close' | 'close' | 'reset';

interface Conversation {
  readonly parts: readonly Part[];
  readonly leaving: Leaving;
  /** It is sent in pieces of these lengths; the rest is the last piece. */
  readonly cuts: readonly number[];
  /** After this many bytes the client leaves by a close or a reset. */
  readonly until: number;
}

export interface FuzzResult {
  readonly conversations: number;
  readonly answers: number;
  readonly faults: readonly string[];
}

export interface FuzzOptions {
  readonly port: number;
  readonly seed: number;
  readonly conversations: number;
  readonly parallel?: number;
  /**
   * Every short part is also reset at one in this many of its bytes: others in each part, so that the parts
   * together have all.
   */
  readonly resetEvery: number;
  /**
   * Each conversation comes from another address of this machine, because one client may ask for so much a
   * minute. It needs Linux.
   */
  readonly manyClients?: boolean;
}

const FAULTS_MAX = 20;

/**
 * Holds the conversations with a server of one thread. Between them an honest client asks over one
 * connection, which a thread's death would end.
 */
export async function fuzzSockets({
  port,
  seed,
  conversations,
  parallel = 16,
  resetEvery,
  manyClients = false,
}: FuzzOptions): Promise<FuzzResult> {
  const below = randomBelow(seed);
  const drawn = (function* () {
    yield* resets(resetEvery);
    for (let n = 0; n < conversations; n++) yield draw(below);
  })();
  const faults: string[] = [];
  const honest = honestClient(port);
  const prefix = await honest.ask();
  let held = 0;
  let answers = 0;
  const worker = async (): Promise<void> => {
    for (const conversation of drawn) {
      if (faults.length >= FAULTS_MAX) return;
      held += 1;
      const { count, fault } = await hold(port, conversation, manyClients ? loopback(held) : undefined);
      answers += count;
      const thread = held % parallel === 0 ? await honest.ask() : prefix;
      if (thread !== prefix)
        faults.push(`an honest client was not answered by the same thread: ${thread}; about ${describe(conversation)}`);
      if (fault !== undefined) faults.push(`${fault}: ${describe(conversation)}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  if ((await honest.ask()) !== prefix) faults.push('an honest client was not answered by the same thread at the end');
  honest.close();
  return { conversations: held, answers, faults };
}

function draw(below: (bound: number) => number): Conversation {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const parts = Array.from({ length: below(4) }, () => one(STAYING));
  parts.push(one(ENDING));
  // A request after the end of a connection has no answer.
  if (below(4) === 0) parts.push({ ...one(STAYING), answers: [] });
  const length = textOf(parts).length;
  const cuts =
    below(2) === 0 ? [] : Array.from({ length: 1 + below(6) }, () => 1 + below(below(2) === 0 ? 40 : length));
  return { parts, leaving: one(['waits', 'waits', 'half close', 'close', 'reset']), cuts, until: below(length + 1) };
}

/** Each stands alone, and behind a whole request too. */
function* resets(every: number): Generator<Conversation> {
  let first = 0;
  for (const part of [...STAYING, ...ENDING])
    for (const parts of part.last === undefined ? [[part]] : [[part], [STAYING[0]!, part]])
      for (let until = first++ % every; until <= Math.min(150, textOf(parts).length); until += every)
        yield { parts, leaving: 'reset', cuts: [], until };
}

const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join('');

const describe = ({ parts, leaving, cuts, until }: Conversation): string =>
  JSON.stringify({
    leaving,
    cuts,
    until,
    parts: parts.map(({ text }) => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text)),
  });

const loopback = (n: number): string => `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;

const DEADLINE_MS = 20_000;

async function hold(port: number, conversation: Conversation, localAddress: string | undefined) {
  const { parts, leaving, cuts, until } = conversation;
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    allowHalfOpen: true,
    ...(localAddress && { localAddress }),
  });
  let received = '';
  let failure: string | undefined;
  socket.setEncoding('latin1').on('data', (chunk) => (received += chunk));
  const ended = new Promise<void>((resolve) => {
    const late = setTimeout(() => {
      failure = 'the connection hangs';
      socket.destroy();
    }, DEADLINE_MS);
    socket.on('error', ({ message }) => (failure ??= message));
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(late);
      resolve();
    });
  });
  const leaves = leaving === 'close' || leaving === 'reset';
  const text = textOf(parts);
  await send(socket, leaves ? text.slice(0, until) : text, cuts);
  if (leaving === 'half close') socket.end();
  if (leaving === 'close') socket.destroy();
  if (leaving === 'reset') socket.resetAndDestroy();
  await ended;
  if (leaves) return { count: 0 };
  const judged = judge(received, parts);
  return failure === undefined ? judged : { ...judged, fault: `${failure}, ${judged.fault ?? 'after every answer'}` };
}

async function send(socket: Socket, text: string, cuts: readonly number[]): Promise<void> {
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    if (from >= text.length || socket.destroyed) break;
    socket.write(text.slice(from, from + cut), 'latin1');
    from += cut;
    await new Promise((done) => setImmediate(done));
  }
  // The first bytes wait until the connection stands.
  if (socket.connecting) await new Promise((done) => socket.once('connect', done).once('close', done));
}

function judge(received: string, parts: readonly Part[]): { readonly count: number; readonly fault?: string } {
  let rest = received;
  let count = 0;
  for (const { answers, bodiless = false, last = false } of parts) {
    if (answers.length === 0) continue;
    rest = rest.replace(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+/, '');
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0)
      return {
        count,
        fault: `answer ${count + 1} of ${parts.length} is missing after ${JSON.stringify(received.slice(-200))}`,
      };
    const head = rest.slice(0, end);
    const length = bodiless ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
    const body = rest.slice(end + 4, end + 4 + length);
    const fault = faultOf(head, body, answers, bodiless);
    if (fault !== undefined) return { count, fault: `answer ${count + 1}: ${fault}` };
    rest = rest.slice(end + 4 + length);
    count += 1;
    const ends = /^connection: close$/im.test(head);
    if (typeof last === 'boolean' && last !== ends)
      return { count, fault: `the connection ${ends ? 'ends' : 'stays'} after answer ${count}` };
    if (ends || last === 'unsaid') break;
  }
  return rest === ''
    ? { count }
    : { count, fault: `more than the answers came: ${JSON.stringify(rest.slice(0, 200))}` };
}

function faultOf(head: string, body: string, answers: readonly string[], bodiless: boolean): string | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  if (!/^x-request-id: \S+$/im.test(head)) return `no request id in ${JSON.stringify(head)}`;
  if (!bodiless && !/^content-type: application\/json/im.test(head)) return `not JSON: ${JSON.stringify(head)}`;
  const code = bodiless ? '' : codeOf(body);
  return answers.includes(`${status} ${code}`) ? undefined : `${status} ${code} instead of ${answers.join(' or ')}`;
}

function codeOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
    if (error === undefined) return '';
    return typeof error.message === 'string' && error.message !== '' ? String(error.code) : 'an error without words';
  } catch {
    return `broken body ${JSON.stringify(body.slice(0, 100))}`;
  }
}

interface HonestClient {
  /** @returns the part of the request id that a thread keeps for its life, or the fault */
  ask(): Promise<string>;
  close(): void;
}

function honestClient(port: number): HonestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port, path: LOOKUP, agent }, (response) => {
        response
          .resume()
          .on('end', () =>
            resolve(`${response.statusCode} ${String(response.headers['x-request-id']).replace(/-.*/, '')}`),
          );
      });
      asked.on('error', ({ message }) => resolve(message)).end();
    });
  return { ask, close: () => agent.destroy() };
}
