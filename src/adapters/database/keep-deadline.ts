import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';
import { deadlineEnds } from '../../service/deadline.ts';

/**
 * How long a connection waits for an answer.
 * - `answerMs`: a question fails after this time, even if the server does not react. For questions that a
 *   caller waits for.
 * - `silentMs`: a question may take any time while the server is alive. After this time without a byte in
 *   either direction the server is probed over a separate connection, and if that gets no answer within
 *   `aliveMs`, the question fails. For bulk work.
 * Both end at the deadline of the request (service/deadline.ts), regardless of earlier questions.
 */
export type DatabaseDeadline = { readonly answerMs: number } | { readonly silentMs: number; readonly aliveMs: number };

/**
 * Deadline of lookups, sign-ins and keys. With the wait for a connection, a refusal is sent within three seconds of
 * the request.
 */
export const QUERY_DEADLINE: DatabaseDeadline = { answerMs: 2500 };

/**
 * Deadline of several statements that a caller waits for, such as a batch of captures that queues behind
 * another writer.
 */
export const CALLER_DEADLINE: DatabaseDeadline = { silentMs: 1000, aliveMs: 1500 };

export const BULK_DEADLINE: DatabaseDeadline = { silentMs: 10_000, aliveMs: 10_000 };

interface Driven {
  readonly connection: EventEmitter & {
    readonly stream: Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number };
  };
}

/**
 * A busy thread handles due timers before it reads its sockets. This delay lets it read a waiting answer
 * first.
 */
const READ_FIRST_MS = 50;

const deadlines = new WeakMap<ClientBase, AnswerDeadline>();

/**
 * Makes every question on a connection end in time. Otherwise the connection is destroyed, since a frozen
 * server would not answer a cancel either: its questions fail and the pool drops it.
 * @param isAlive whether the server answers a separate connection within this time
 */
export function keepDeadline(
  client: ClientBase,
  deadline: DatabaseDeadline,
  isAlive: (withinMs: number) => Promise<boolean>,
): void {
  deadlines.set(client, new AnswerDeadline(client, deadline, isAlive));
}

/** Changes the deadline of a connection until it returns to its pool. */
export function setDeadline(client: ClientBase, deadline: DatabaseDeadline): void {
  deadlines.get(client)?.setDeadline(deadline);
}

class AnswerDeadline {
  readonly #stream: Driven['connection']['stream'];
  readonly #isAlive: (withinMs: number) => Promise<boolean>;
  #deadline: DatabaseDeadline;
  #timer: NodeJS.Timeout | undefined;
  #question = 0;
  #open = false;
  /** A connection has one user at a time, whose deadline this is. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(client: ClientBase, deadline: DatabaseDeadline, isAlive: (withinMs: number) => Promise<boolean>) {
    const { connection } = client as unknown as Driven;
    this.#stream = connection.stream;
    this.#deadline = deadline;
    this.#isAlive = isAlive;
    const ask = client.query;
    client.query = ((...question: unknown[]) => {
      this.#endsAt = deadlineEnds();
      this.#begin();
      return Reflect.apply(ask, client, question);
    }) as typeof client.query;
    // At this event the driver has already sent the next question of its queue; without one it emits `drain`.
    connection.on('readyForQuery', () => this.#open && this.#restart());
    client.on('drain', () => this.#end());
    connection.once('end', () => this.#end());
  }

  setDeadline(deadline: DatabaseDeadline): void {
    this.#deadline = deadline;
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
    this.#wait('answerMs' in this.#deadline ? this.#deadline.answerMs : this.#deadline.silentMs);
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
    const patience = this.#deadline;
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
