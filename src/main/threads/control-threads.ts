import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { CounterTable } from '../../adapters/counters/memory/counter-table.ts';
import { releaseLimitsOf } from '../../adapters/limits/memory/shared-limits.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { type SharedConnections, sharedConnections } from '../../apps/http/client-connections.ts';
import { type CountsSeen, countDeath, countsBuffer, readCounts } from '../../apps/http/request-counts.ts';
import type { Requests } from '../background-job.ts';
import { connectionsMax, openFilesMax } from './connections-max.ts';
import { applyMessage, type DataMessage, type DataState, NO_DATA } from './data-state.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

type Birth = Omit<ThreadStart, 'owner' | 'port' | 'data' | 'complete' | 'counts' | 'slot' | 'connections' | 'connectionsMax'>;

/** A dead thread is restarted after this long, doubled at each death in a row up to the maximum. */
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 10_000;
/** A dying thread ends by itself before this; one whose fault was an endless loop or a lock it holds does not. */
const DYING_MS = 3000;
/** The death of a thread that lived this long restarts the doubling. */
const SETTLED_MS = 60_000;

interface Thread {
  readonly worker: Worker;
  readonly slot: number;
  readonly owner: number;
  readonly bornAt: number;
}

/** The threads that answer requests: started, kept up to date, restarted when one dies, closed together. */
export class ControlThreads implements Requests {
  readonly #birth: Birth;
  readonly #log: Logger;
  readonly #threads = new Set<Thread>();
  readonly #counts: SharedArrayBuffer;
  readonly #connections: SharedConnections;
  readonly #connectionsMax: number;
  #nextOwner = 2;
  #port: number;
  #data: DataState = NO_DATA;
  #complete = false;
  #closing = false;
  #deaths = 0;
  #onRefreshFeed: (id: string) => void = () => {};
  #onView: (versions: { readonly risk: string; readonly geo: string }) => void = () => {};

  constructor(birth: Birth, log: Logger) {
    this.#birth = birth;
    this.#log = log;
    this.#port = birth.config.port;
    this.#counts = countsBuffer(birth.config.workers);
    this.#connections = sharedConnections(birth.config.workers, randomBytes(16).toString('hex'));
    this.#connectionsMax = connectionsMax(openFilesMax(), birth.config.workers);
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

  /** Sends a message to every thread; those that start later start with what it changed. */
  publish(message: DataMessage): void {
    const before = this.#data;
    this.#data = applyMessage(before, message);
    // Health is reported at every poll.
    if (message.type === 'degraded' && this.#data === before) return;
    this.#send(message);
  }

  /**
   * Has every thread load the paths besides look-ups, which takes most of a thread's start; until then a request for one of them does. One thread after
   * another: the others answer look-ups meanwhile.
   */
  async complete(): Promise<void> {
    this.#complete = true;
    for (const { worker } of [...this.#threads]) {
      worker.postMessage({ type: 'complete' } satisfies ToThread);
      await new Promise<void>((resolve) => {
        worker.on('message', ({ type }: FromThread) => type === 'completed' && resolve());
        worker.once('exit', () => resolve());
      });
    }
  }

  /** Writers of the ledger that are alive. */
  writers(): readonly string[] {
    return [...this.#threads].map(({ owner }) => `${this.#birth.run}${owner.toString(36)}`);
  }

  /** What all threads have counted. */
  counts(): CountsSeen {
    return readCounts(this.#counts);
  }

  /** Use of the ledger's tables. */
  ledgerOccupancy(): Record<'clients' | 'accounts', ReturnType<CounterTable['occupancy']>> {
    const { clients, accounts } = this.#tables();
    return { clients: clients.occupancy(), accounts: accounts.occupancy() };
  }

  /** Lets requests in flight finish for `graceMs`, then ends all threads. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const gone = [...this.#threads].map(({ worker }) => new Promise<void>((resolve) => void worker.once('exit', () => resolve())));
    this.#send({ type: 'close', graceMs });
    const cut = setTimeout(() => this.#threads.forEach(({ worker }) => void worker.terminate()), graceMs + 2000);
    await Promise.all(gone);
    clearTimeout(cut);
  }

  #send(message: ToThread): void {
    for (const { worker } of this.#threads) worker.postMessage(message);
  }

  #startOne(): Promise<number> {
    const owner = this.#nextOwner++;
    const slot = this.#freeSlot();
    const workerData: ThreadStart = {
      ...this.#birth,
      owner,
      port: this.#port,
      data: this.#data,
      complete: this.#complete,
      counts: this.#counts,
      slot,
      connections: this.#connections,
      connectionsMax: this.#connectionsMax,
    };
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
        if (listening) this.#restart(thread);
      });
    });
  }

  /** Counters that no living thread writes to; the counts of a dead one continue. */
  #freeSlot(): number {
    const taken = new Set([...this.#threads].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  #restart(dead: Thread): void {
    this.#deaths = performance.now() - dead.bornAt > SETTLED_MS ? 0 : this.#deaths + 1;
    const delay = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** this.#deaths);
    setTimeout(() => {
      if (this.#closing) return;
      this.#startOne().then(
        () => this.#log.warn({ instead_of: dead.owner }, 'a thread that answers requests was restarted'),
        (error) => {
          this.#log.error({ error }, 'a thread could not be restarted');
          if (!this.#closing) this.#restart({ ...dead, bornAt: performance.now() });
        },
      );
    }, delay);
  }

  #releaseLocks(owner: number): void {
    releaseLimitsOf(this.#birth.limits, owner);
    for (const table of Object.values(this.#tables())) table.releaseLockOf(owner);
  }

  #tables(): Record<'clients' | 'accounts', CounterTable> {
    const { ledger } = this.#birth;
    return { clients: new CounterTable(ledger.clients, ledger.clientShape, 1), accounts: new CounterTable(ledger.accounts, ledger.accountShape, 1) };
  }
}
