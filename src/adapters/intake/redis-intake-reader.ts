import type { Redis } from 'iovalkey';
import { HOUR_MS } from '../../core/units.ts';
import { CLAIM_AFTER_MS, type IntakeReader, type StreamEntry } from '../../service/waiting-batch.ts';
import { openRedis } from '../database/open-redis.ts';
import { FORGET, SET_ASIDE, SETTLE } from './scripts.ts';
import { openEntry, type SealKeys } from './seal-entry.ts';
import { GROUP, STREAM_KEYS } from './stream-keys.ts';

export interface RedisIntakeReaderOptions {
  /** redis:// or rediss:// */
  readonly url: string;
  readonly keys: SealKeys;
  /** Of this node in the group; another one at every start. */
  readonly consumer: string;
  /** An entry of a node that was silent for so long is taken over, milliseconds. */
  readonly claimAfterMs?: number;
}

/** How long a question for the next entry waits for one, milliseconds. */
const BLOCK_MS = 1000;
const ANSWER_WITHIN_MS = 5000;
/** Nodes of before leave the group's list after this long. */
const FORGET_AFTER_MS = HOUR_MS;
const ASIDE_BYTES_MAX = 64 * 1024 * 1024;

interface Scripted extends Redis {
  // The client has these two; its types do not.
  xautoclaimBuffer(...args: (string | number)[]): Promise<readonly [next: Buffer, found: readonly RawEntry[], gone?: unknown]>;
  xreadgroupBuffer(...args: (string | number)[]): Promise<readonly (readonly [stream: Buffer, found: readonly RawEntry[]])[] | null>;
  pulseIntakeSettle(keyCount: number, ...keysAndValues: string[]): Promise<number>;
  pulseIntakeSetAside(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number>;
  pulseIntakeForget(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number>;
}

type Fields = readonly Buffer[];
type RawEntry = readonly [id: Buffer, fields: Fields | null];

/** Reads the stream of the intake as one consumer of its group. */
export class RedisIntakeReader implements IntakeReader {
  readonly #redis: Scripted;
  /** A question that waits holds up what is sent after it, so it has a connection of its own. */
  readonly #waiting: Scripted;
  readonly #options: RedisIntakeReaderOptions;
  readonly #claimAfterMs: number;
  #isGroupThere = false;
  #claimedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RedisIntakeReaderOptions) {
    this.#options = options;
    this.#claimAfterMs = options.claimAfterMs ?? CLAIM_AFTER_MS;
    const scripts = { pulseIntakeSettle: { lua: SETTLE }, pulseIntakeSetAside: { lua: SET_ASIDE }, pulseIntakeForget: { lua: FORGET } };
    this.#redis = openRedis<Scripted>(options.url, { name: 'pulse-intake-reader', scripts, answerWithinMs: ANSWER_WITHIN_MS });
    this.#waiting = openRedis<Scripted>(options.url, { name: 'pulse-intake-next', scripts: {}, answerWithinMs: ANSWER_WITHIN_MS });
  }

  /** Resolves as soon as the server answers, or after `withinMs` without it. */
  async ready(withinMs: number): Promise<void> {
    const isUp = (): boolean => this.#redis.status === 'ready' && this.#waiting.status === 'ready';
    for (let waited = 0; !isUp() && waited < withinMs; waited += 10) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async next(): Promise<StreamEntry | undefined> {
    try {
      await this.#makeGroup();
      return (await this.#claim()) ?? (await this.#read());
    } catch (error) {
      // The server was emptied, or another one answers.
      if (error instanceof Error && error.message.startsWith('NOGROUP')) this.#isGroupThere = false;
      throw error;
    }
  }

  async keep(id: string): Promise<void> {
    await this.#redis.xclaim(STREAM_KEYS.stream, GROUP, this.#options.consumer, 0, id, 'JUSTID');
  }

  async settle(id: string): Promise<void> {
    await this.#redis.pulseIntakeSettle(2, STREAM_KEYS.stream, STREAM_KEYS.bytes, GROUP, id);
  }

  async setAside(id: string, reason: string): Promise<void> {
    await this.#redis.pulseIntakeSetAside(
      5,
      STREAM_KEYS.stream,
      STREAM_KEYS.bytes,
      STREAM_KEYS.aside,
      STREAM_KEYS.asideBytes,
      STREAM_KEYS.asideCount,
      GROUP,
      id,
      reason,
      ASIDE_BYTES_MAX,
    );
  }

  close(): void {
    this.#redis.disconnect();
    this.#waiting.disconnect();
  }

  async #makeGroup(): Promise<void> {
    if (this.#isGroupThere) return;
    await this.#redis.xgroup('CREATE', STREAM_KEYS.stream, GROUP, '0', 'MKSTREAM').catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
    });
    this.#isGroupThere = true;
  }

  /** An entry of a node that is silent. Asked for a few times while one may become due. */
  async #claim(): Promise<StreamEntry | undefined> {
    const now = performance.now();
    if (now - this.#claimedAt < this.#claimAfterMs / 3) return undefined;
    const { consumer } = this.#options;
    const [, [found]] = (await this.#redis.xautoclaimBuffer(STREAM_KEYS.stream, GROUP, consumer, this.#claimAfterMs, '0', 'COUNT', 1)) as readonly [
      Buffer,
      RawEntry[],
    ];
    if (found !== undefined) return await this.#entryOf(found);
    this.#claimedAt = now;
    await this.#redis.pulseIntakeForget(1, STREAM_KEYS.stream, GROUP, FORGET_AFTER_MS);
    return undefined;
  }

  async #read(): Promise<StreamEntry | undefined> {
    const { consumer } = this.#options;
    const answer = await this.#waiting.xreadgroupBuffer('GROUP', GROUP, consumer, 'COUNT', 1, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM_KEYS.stream, '>');
    const [found] = answer?.[0]?.[1] ?? [];
    return found && { ...this.#open(found), attempts: 1 };
  }

  async #entryOf(raw: RawEntry): Promise<StreamEntry> {
    const entry = this.#open(raw);
    const [pending] = (await this.#redis.xpending(STREAM_KEYS.stream, GROUP, entry.id, entry.id, 1)) as readonly (readonly [string, string, number, number])[];
    return { ...entry, attempts: pending?.[3] ?? 1 };
  }

  #open([id, fields]: RawEntry): Omit<StreamEntry, 'attempts'> {
    const held = new Map<string, Buffer>();
    for (let i = 0; i + 1 < (fields?.length ?? 0); i += 2) held.set(fields![i]!.toString(), fields![i + 1]!);
    const [meta, seal, body] = [held.get('meta'), held.get('seal'), held.get('body')];
    const batch = meta && seal && body && openEntry({ meta: meta.toString(), seal, body }, this.#options.keys);
    return { id: id.toString(), batch };
  }
}
