import { Worker } from 'node:worker_threads';
import { CounterTable } from '../../adapters/counters/memory/table.ts';
import type { Logger } from '../../adapters/system/logger.ts';
import { countDeath, countsBuffer } from '../../apps/http/request-counts.ts';
import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';
import type { Publisher } from '../background-job.ts';
import type { PhoneShared } from '../phone/open-phone.ts';
import type { DataState, FromThread, ThreadStart, ToThread } from './thread-messages.ts';

type Birth = Omit<ThreadStart, 'owner' | 'port' | 'data' | 'counts' | 'slot'>;

/** A thread that died is started again after this long, doubled at each death in a row up to the maximum. */
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 10_000;
/** A dying thread ends by itself before this; one whose fault was an endless loop or a lock it holds does not. */
const DYING_MS = 3000;
/** A thread that lived this long starts the doubling anew. */
const SETTLED_MS = 60_000;

interface Thread {
  readonly worker: Worker;
  readonly slot: number;
  readonly owner: number;
  readonly bornAt: number;
}

/** The threads that answer requests: started, told what changed, started again when one dies, closed together. */
export class ControlThreads implements Publisher {
  readonly #birth: Birth;
  readonly #log: Logger;
  readonly #threads = new Set<Thread>();
  readonly #counts: SharedArrayBuffer;
  #nextOwner = 2;
  #port: number;
  #state: DataState = { geo: undefined, evidence: undefined, deltas: [], degraded: false, complete: false, assistants: undefined, phone: undefined };
  readonly #degradedBy = new Set<string>();
  #closing = false;
  #deaths = 0;
  #onRefreshFeed: (id: string) => void = () => {};
  #onView: (versions: { readonly risk: string; readonly geo: string }) => void = () => {};

  constructor(birth: Birth, log: Logger) {
    this.#birth = birth;
    this.#log = log;
    this.#port = birth.config.port;
    this.#counts = countsBuffer(birth.config.workers);
  }

  /** Starts all threads. @returns the port; with port 0 the first thread chooses it @throws when one cannot listen */
  async start(count: number): Promise<number> {
    const chosen = this.#port !== 0;
    const first = this.#startOne();
    if (!chosen) this.#port = await first;
    await Promise.all([first, ...Array.from({ length: count - 1 }, () => this.#startOne())]);
    return this.#port;
  }

  /** Called whenever a thread has taken up a new image. */
  onView(listener: (versions: { readonly risk: string; readonly geo: string }) => void): void {
    this.#onView = listener;
  }

  /** Called when an operator asks on the site for a feed to be read now. */
  onRefreshFeed(listener: (id: string) => void): void {
    this.#onRefreshFeed = listener;
  }

  geo(image: SharedArrayBuffer): void {
    this.#state = { ...this.#state, geo: image };
    this.#tell({ type: 'geo', image });
  }

  /**
   * @param included sequence of the last delta that the image holds
   * @param restart whether none of the deltas counts any longer
   */
  evidence(image: SharedArrayBuffer, included: number, restart: boolean): void {
    const deltas = restart ? [] : this.#state.deltas.filter((delta) => delta.sequence > included);
    this.#state = { ...this.#state, evidence: image, deltas };
    this.#tell({ type: 'evidence', image, restart });
  }

  delta(delta: EvidenceDelta): void {
    this.#state = { ...this.#state, deltas: [...this.#state.deltas, delta] };
    this.#tell({ type: 'delta', delta });
  }

  degraded(who: 'feeds' | 'evidence', degraded: boolean): void {
    if (degraded) this.#degradedBy.add(who);
    else this.#degradedBy.delete(who);
    this.#setDegraded(this.#degradedBy.size > 0);
  }

  #setDegraded(degraded: boolean): void {
    if (degraded === this.#state.degraded) return;
    this.#state = { ...this.#state, degraded };
    this.#tell({ type: 'degraded', degraded });
  }

  /**
   * Has every thread load the paths besides look-ups, which takes most of a thread's start; until then a request for one of them does. One thread after
   * another: the others answer look-ups meanwhile.
   */
  async complete(): Promise<void> {
    this.#state = { ...this.#state, complete: true };
    for (const { worker } of [...this.#threads]) {
      worker.postMessage({ type: 'complete' } satisfies ToThread);
      await new Promise<void>((resolve) => {
        worker.on('message', ({ type }: FromThread) => type === 'completed' && resolve());
        worker.once('exit', () => resolve());
      });
    }
  }

  networkLists(): void {
    this.#tell({ type: 'network-lists' });
  }

  assistants(lists: SharedArrayBuffer): void {
    this.#state = { ...this.#state, assistants: lists };
    this.#tell({ type: 'assistants', lists });
  }

  phone(libraries: PhoneShared): void {
    this.#state = { ...this.#state, phone: libraries };
    this.#tell({ type: 'phone', libraries });
  }

  /** Writers of the ledger that are alive. */
  writers(): readonly string[] {
    return [...this.#threads].map(({ owner }) => `${this.#birth.run}${owner.toString(36)}`);
  }

  /** Lets requests in flight finish for `graceMs`, then ends all threads. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const gone = [...this.#threads].map(({ worker }) => new Promise<void>((resolve) => void worker.once('exit', () => resolve())));
    this.#tell({ type: 'close', graceMs });
    const cut = setTimeout(() => this.#threads.forEach(({ worker }) => void worker.terminate()), graceMs + 2000);
    await Promise.all(gone);
    clearTimeout(cut);
  }

  #tell(message: ToThread): void {
    for (const { worker } of this.#threads) worker.postMessage(message);
  }

  #startOne(): Promise<number> {
    const owner = this.#nextOwner++;
    const slot = this.#freeSlot();
    const workerData: ThreadStart = { ...this.#birth, owner, port: this.#port, data: this.#state, counts: this.#counts, slot };
    const thread: Thread = { worker: new Worker(new URL('./http-worker.ts', import.meta.url), { workerData }), slot, owner, bornAt: performance.now() };
    this.#threads.add(thread);
    return new Promise((resolve, reject) => {
      let listening = false;
      let error: unknown;
      thread.worker.on('message', (message: FromThread) => {
        if (message.type === 'listening') {
          listening = true;
          resolve(message.port);
        } else if (message.type === 'view') this.#onView(message);
        else if (message.type === 'refresh-feed') this.#onRefreshFeed(message.id);
        else if (message.type === 'dying') setTimeout(() => void thread.worker.terminate(), DYING_MS).unref();
        else if (message.type === 'fault') reject(new Error(message.message));
      });
      thread.worker.on('error', (fault) => {
        error = fault;
        reject(fault);
      });
      thread.worker.on('exit', (status) => {
        this.#threads.delete(thread);
        this.#releaseLocks(owner);
        if (this.#closing) return;
        countDeath(this.#counts, slot);
        this.#log.error({ error, status, thread: owner }, 'a thread that answers requests died');
        reject(new Error(`a thread ended with status ${status} before it listened`));
        if (listening) this.#startAgain(thread);
      });
    });
  }

  /** Counters that no living thread writes to; those of a dead one go on where they were. */
  #freeSlot(): number {
    const taken = new Set([...this.#threads].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  #startAgain(dead: Thread): void {
    this.#deaths = performance.now() - dead.bornAt > SETTLED_MS ? 0 : this.#deaths + 1;
    const delay = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** this.#deaths);
    setTimeout(() => {
      if (this.#closing) return;
      this.#startOne().then(
        () => this.#log.warn({ instead_of: dead.owner }, 'a thread that answers requests was started again'),
        (error) => {
          this.#log.error({ error }, 'a thread could not be started again');
          if (!this.#closing) this.#startAgain({ ...dead, bornAt: performance.now() });
        },
      );
    }, delay);
  }

  #releaseLocks(owner: number): void {
    const { ledger } = this.#birth;
    new CounterTable(ledger.clients, ledger.clientShape, 1).releaseLockOf(owner);
    new CounterTable(ledger.accounts, ledger.accountShape, 1).releaseLockOf(owner);
  }
}
