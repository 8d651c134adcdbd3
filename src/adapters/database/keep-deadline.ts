import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';
import { deadlineEnds } from '../../service/deadline.ts';

/**
 * How long a connection waits for an answer.
 * - `answerMs`: a question is given up after so long, even when the server does not react. For questions a caller waits for.
 * - `silentMs`: a question may take as long as it takes while the server lives. After so long without a byte in either direction the server is asked
 *   over a connection of its own; when it does not answer that within `aliveMs`, the question is given up. For bulk work.
 * Both end at the deadline of the request that asks (service/deadline.ts), however many questions it has asked before.
 */
export type Patience = { readonly answerMs: number } | { readonly silentMs: number; readonly aliveMs: number };

/** A look-up, a sign-in, a key: together with the wait for a connection the refusal leaves within three seconds of the request. */
export const QUESTION: Patience = { answerMs: 2500 };

/** Work of many statements that a caller waits for, such as a batch of captures that may have to wait for the writer before it. */
export const CALLER_WORK: Patience = { silentMs: 1000, aliveMs: 1500 };

/** Work without a caller: copying, compiling, compacting, migrating. */
export const BULK_WORK: Patience = { silentMs: 10_000, aliveMs: 10_000 };

/** Members of the driver's client besides its published methods. */
interface Driven {
  readonly connection: EventEmitter & {
    readonly stream: Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number };
  };
}

/** A thread that was busy finds its timers due before it has read its sockets: that is read first. */
const READ_FIRST_MS = 50;

const deadlines = new WeakMap<ClientBase, AnswerDeadline>();

/**
 * Has every question of a connection answered in time or given up: the connection is destroyed then, because a server that is frozen does not answer a
 * cancel either, its questions fail, and the pool drops it.
 * @param isAlive whether the server answers a connection of its own within so many milliseconds
 */
export function keepDeadline(
  client: ClientBase,
  patience: Patience,
  isAlive: (withinMs: number) => Promise<boolean>,
): void {
  deadlines.set(client, new AnswerDeadline(client, patience, isAlive));
}

/** Changes the patience of a connection, until it goes back to its pool. */
export function setPatience(client: ClientBase, patience: Patience): void {
  deadlines.get(client)?.setPatience(patience);
}

class AnswerDeadline {
  readonly #stream: Driven['connection']['stream'];
  readonly #isAlive: (withinMs: number) => Promise<boolean>;
  #patience: Patience;
  #timer: NodeJS.Timeout | undefined;
  /** Counts questions, so that work begun for one is not finished on the next. */
  #question = 0;
  #open = false;
  /** Deadline of the request that asked last: a connection has one user at a time. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(client: ClientBase, patience: Patience, isAlive: (withinMs: number) => Promise<boolean>) {
    const { connection } = client as unknown as Driven;
    this.#stream = connection.stream;
    this.#patience = patience;
    this.#isAlive = isAlive;
    const ask = client.query;
    client.query = ((...question: unknown[]) => {
      this.#endsAt = deadlineEnds();
      this.#begin();
      return Reflect.apply(ask, client, question);
    }) as typeof client.query;
    // The driver has sent the next question of its queue by the time this is heard, and says `drain` when there was none.
    connection.on('readyForQuery', () => this.#open && this.#restart());
    client.on('drain', () => this.#end());
    connection.once('end', () => this.#end());
  }

  setPatience(patience: Patience): void {
    this.#patience = patience;
    if (this.#open) this.#restart();
  }

  #begin(): void {
    if (this.#open || this.#stream.destroyed) return;
    this.#open = true;
    this.#restart();
  }

  #end(): void {
    this.#open = false;
    this.#question += 1;
    clearTimeout(this.#timer);
  }

  #restart(): void {
    this.#question += 1;
    this.#wait('answerMs' in this.#patience ? this.#patience.answerMs : this.#patience.silentMs);
  }

  #wait(ms: number): void {
    const [question, bytes] = [this.#question, this.#bytes()];
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#endsAt - performance.now());
    this.#timer = setTimeout(
      () => {
        this.#timer = setTimeout(() => void this.#look(question, bytes), READ_FIRST_MS).unref();
      },
      Math.min(ms, left),
    ).unref();
  }

  async #look(question: number, bytes: number): Promise<void> {
    const patience = this.#patience;
    if (performance.now() >= this.#endsAt) return this.#giveUp('no answer within the time of the request');
    if ('answerMs' in patience) return this.#giveUp(`no answer in ${patience.answerMs} ms`);
    const { silentMs, aliveMs } = patience;
    const silent = this.#bytes() === bytes;
    if (silent && !(await this.#isAlive(aliveMs)) && question === this.#question && this.#bytes() === bytes)
      return this.#giveUp(`no byte in ${silentMs} ms, and no answer to a connection of its own in ${aliveMs} ms`);
    if (question === this.#question) this.#wait(silentMs);
  }

  #bytes(): number {
    return (this.#stream.bytesRead ?? 0) + (this.#stream.bytesWritten ?? 0);
  }

  #giveUp(reason: string): void {
    this.#stream.destroy(Object.assign(new Error(`PostgreSQL: ${reason}`), { code: 'ETIMEDOUT' }));
  }
}
