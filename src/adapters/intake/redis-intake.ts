import type { Redis } from 'iovalkey';
import { DAY_MS } from '../../core/units.ts';
import type { AppendOutcome, AppendTerms, IntakeAppender, WaitingBatch } from '../../service/waiting-batch.ts';
import { openRedis } from '../database/open-redis.ts';
import { type Keeping, keepingOf } from './keeping-of.ts';
import { APPEND } from './scripts.ts';
import { type SealKeys, sealEntry } from './seal-entry.ts';
import { STREAM_KEYS } from './stream-keys.ts';

export interface RedisIntakeOptions {
  /** redis:// or rediss:// */
  readonly url: string;
  readonly keys: SealKeys;
  /** Hears how a server keeps what it is given, at each connection. */
  readonly onKeeping?: (keeping: Keeping) => void;
  /** After so long without an answer a batch counts as not kept, milliseconds. */
  readonly answerWithinMs?: number;
}

/** Batches and bytes that may wait. */
export const WAITING_ENTRIES_MAX = 100_000;
export const WAITING_BYTES_MAX = 256 * 1024 * 1024;
/** Senders are promised seven days; an hour is for clocks that differ. */
const NAME_KEPT_MS = 7 * DAY_MS + 3_600_000;
/** Eight megabytes to a server that writes them to its disk first. */
const ANSWER_WITHIN_MS = 2500;

interface Scripted extends Redis {
  pulseIntakeAppend(
    keyCount: number,
    ...keysAndValues: (string | number | Buffer)[]
  ): Promise<readonly [status: AppendOutcome['status'], detail?: string | number]>;
}

/** Appends batches to a stream in Redis or Valkey. It fails at once while the server is away, and where the server would not keep what it is given. */
export class RedisIntake implements IntakeAppender {
  readonly #redis: Scripted;
  readonly #keys: SealKeys;
  readonly #onKeeping: (keeping: Keeping) => void;
  #keeping: Promise<Keeping> | undefined;

  constructor({ url, keys, onKeeping = () => {}, answerWithinMs = ANSWER_WITHIN_MS }: RedisIntakeOptions) {
    this.#keys = keys;
    this.#onKeeping = onKeeping;
    this.#redis = openRedis<Scripted>(url, { name: 'pulse-intake', scripts: { pulseIntakeAppend: { lua: APPEND } }, answerWithinMs });
    // Another server may answer from then on, or the same one with other settings.
    this.#redis.on('close', () => {
      this.#keeping = undefined;
    });
  }

  /** Resolves as soon as the server answers, or after `withinMs` without it. */
  async ready(withinMs: number): Promise<void> {
    for (let waited = 0; this.#redis.status !== 'ready' && waited < withinMs; waited += 10) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async append(batch: WaitingBatch, { rows, budgets, named }: AppendTerms): Promise<AppendOutcome> {
    await this.#requireKeeping();
    const { meta, seal, body } = sealEntry(batch, this.#keys);
    const names = [
      STREAM_KEYS.stream,
      STREAM_KEYS.bytes,
      STREAM_KEYS.name(batch.account, batch.id),
      ...budgets.map(({ windowMs }) => STREAM_KEYS.rows(batch.source, windowMs)),
    ];
    const name = named === undefined ? [0, '', ''] : [NAME_KEPT_MS, named.digest, named.answer];
    const limits = budgets.flatMap(({ most, windowMs }) => [most, windowMs]);
    const values = [WAITING_ENTRIES_MAX, WAITING_BYTES_MAX, body.length, rows, ...name, meta, seal, body, ...limits];
    const [status, detail] = await this.#redis.pulseIntakeAppend(names.length, ...names, ...values);
    if (status === 'replayed') return { status, answer: String(detail) };
    if (status === 'over_budget') return { status, waitMs: Number(detail) };
    return { status };
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** @throws Error where the server forgets what it was given */
  async #requireKeeping(): Promise<void> {
    this.#keeping ??= keepingOf(this.#redis).then((keeping) => {
      this.#onKeeping(keeping);
      return keeping;
    });
    const known = this.#keeping;
    const keeping = await known.catch((error: unknown) => {
      this.#keeping = undefined;
      throw error;
    });
    if (keeping !== 'memory' && keeping !== 'evicting') return;
    // The operator may be about to change it.
    setTimeout(() => {
      if (this.#keeping === known) this.#keeping = undefined;
    }, 5000).unref();
    throw new Error(`Redis does not keep what it is given: ${keeping}`);
  }
}
