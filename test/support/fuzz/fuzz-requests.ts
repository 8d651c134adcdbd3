import { Agent, request } from 'node:http';
import { ROUTES } from '../../../src/apps/http/routes.ts';
import { MANY_ANONYMOUS } from '../pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../serve-process.ts';
import { type DrawnRequest, drawnFrom, drawRequest, hostileRequests, soundRequests } from './draw-request.ts';
import { judgeAnswer, type RequestAnswer } from './judge-answer.ts';
import { makeWorld } from './make-world.ts';

export interface RequestRun {
  readonly seed: number;
  readonly requests: number;
  /** One in this many hostile bodies is sent; all of them by default. */
  readonly hostileEvery?: number;
  readonly parallel: number;
  /** Memory is sampled after this many requests each; twelve times over the run by default. */
  readonly every?: number;
  readonly onSample?: (sample: MemorySample) => void;
}

export interface MemorySample {
  readonly requests: number;
  readonly residentMb: number;
  /** Heap of all threads together: live or uncollected objects, and V8's reserve for them. */
  readonly heapUsedMb: number;
  readonly heapTotalMb: number;
  /** Memory outside the heaps of all threads, without shared images. */
  readonly externalMb: number;
  readonly faults: number;
}

export interface RequestResult {
  readonly statuses: ReadonlyMap<number, number>;
  /**
   * Method and path of each route, with the number of its answers below 400; where something is changed,
   * refusals of the input count too.
   */
  readonly answered: ReadonlyMap<string, number>;
  readonly memory: readonly MemorySample[];
  readonly faults: readonly string[];
}

const FAULTS_MAX = 20;
const HANG_MS = 30_000;
const SAMPLES = 12;

/**
 * Sends the hostile bodies and a sound request to each route, then draws requests over the whole route table,
 * to a server of its own: methods, parameters, queries, headers, bodies and cookies, sound and broken, as
 * callers of every kind. Judges each answer; the same seed draws the same requests.
 */
export async function fuzzRequests({
  seed,
  requests,
  hostileEvery = 1,
  parallel,
  every,
  onSample,
}: RequestRun): Promise<RequestResult> {
  const server = await serveProcess({
    env: {
      PULSE_PHONE: 'on',
      PULSE_SIGNUP: 'open',
      ...MANY_ANONYMOUS,
      PULSE_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  try {
    const world = await makeWorld(server);
    // A request is drawn when it is sent, because sessions end and are renewed meanwhile.
    const prepared = [
      ...hostileRequests(world).filter((_, index) => index % hostileEvery === 0),
      ...soundRequests(world, ROUTES),
    ];
    const all = prepared.length + requests;
    const distance = every ?? Math.ceil(all / SAMPLES);
    const agent = new Agent({ keepAlive: true, maxSockets: parallel });
    const statuses = new Map<number, number>();
    const answered = new Map<string, number>();
    const faults: string[] = [];
    const memory: MemorySample[] = [];
    const sample = async (done: number): Promise<void> => {
      memory.push(await sampleMemory(server, done, faults.length));
      onSample?.(memory.at(-1)!);
    };
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < all && faults.length < FAULTS_MAX) {
        const index = next++;
        if (index % distance === 0) await sample(index);
        const drawn = drawnFrom(prepared[index] ?? drawRequest(index, world), seed + index);
        const answer = await send(server.port, agent, drawn).catch((error: Error) => error);
        const fault = answer instanceof Error ? `no answer: ${answer.message}` : judgeAnswer(drawn, answer, world);
        if (fault !== undefined) faults.push(`seed ${seed}, request ${index}: ${fault}\n  ${describe(drawn)}`);
        if (answer instanceof Error) continue;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (drawn.own && isBehindDoor(drawn.method, answer.status))
          answered.set(drawn.route, (answered.get(drawn.route) ?? 0) + 1);
        if (drawn.method !== 'GET' && drawn.route.includes('/session') && answer.status < 300) await world.renew();
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    await sample(next);
    agent.destroy();
    const health = await fetch(`${server.base}/readyz`);
    if (health.status !== 200) faults.push(`at the end /readyz answers ${health.status}`);
    if (/"level":(?:50|60)|thread died|internal_error/.test(server.output()))
      faults.push(`the log reports a fault: ${server.output().slice(-3000)}`);
    await world.close();
    return { statuses, answered, memory, faults };
  } finally {
    await server.dispose();
  }
}

const isBehindDoor = (method: string, status: number): boolean =>
  status < 400 || (!['GET', 'HEAD'].includes(method) && ![401, 403, 405, 429].includes(status));

async function sampleMemory(server: ServeProcess, requests: number, faults: number): Promise<MemorySample> {
  const metrics = await server.metrics();
  const sum = (kind: string): number => {
    const threads = metrics.matchAll(
      new RegExp(`^pulse_thread_memory_bytes\\{[^}]*kind="${kind}"[^}]*\\} (\\S+)$`, 'gm'),
    );
    return Math.round([...threads].reduce((all, [, bytes]) => all + Number(bytes), 0) / 2 ** 20);
  };
  return {
    requests,
    residentMb: Math.round(Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)![1]) / 2 ** 20),
    heapUsedMb: sum('heap_used'),
    heapTotalMb: sum('heap_total'),
    externalMb: sum('external'),
    faults,
  };
}

/** Sends again where the server had just closed the connection under the first sending. */
async function send(port: number, agent: Agent, drawn: DrawnRequest): Promise<RequestAnswer> {
  try {
    return await sendOnce(port, agent, drawn);
  } catch (error) {
    if (!['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return await sendOnce(port, undefined, drawn);
  }
}

export function sendOnce(
  port: number,
  agent: Agent | undefined,
  { method, path, headers, body }: DrawnRequest,
): Promise<RequestAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent: agent ?? false,
        timeout: HANG_MS,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString('latin1'),
          }),
        );
        response.on('error', reject);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`nothing came for ${HANG_MS} ms`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

const describe = ({ method, path, headers, body }: DrawnRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 600)} ${body === undefined ? '' : JSON.stringify(body.toString('latin1').slice(0, 300))}`;
