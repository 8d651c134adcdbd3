import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { CounterTable } from '../../adapters/counters/memory/counter-table.ts';
import { openPipeFolder, type PipeFolder } from '../../adapters/data-folder/pipe-folder.ts';
import { releaseLimitsOf } from '../../adapters/limits/memory/memory-limiter.ts';
import { noEvidence } from '../../adapters/snapshots/image-folder.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { type CountsSeen, countsBuffer, countThreadExit, readCounts } from '../../apps/http/answer/request-counts.ts';
import { type AppPipeAddress, newAppPipe } from '../../apps/http/connection/app-pipe.ts';
import { type SharedConnections, sharedConnections } from '../../apps/http/connection/client-connections.ts';
import { backOff } from '../../core/kit/back-off.ts';
import { applyMessage, type DataMessage, NO_DATA, type ThreadState } from '../../service/serving/data-state.ts';
import type { Requests } from '../jobs/background-job.ts';
import { type FileBudget, fileBudget, openFilesMax } from './file-budget.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

type Birth = Omit<
  ThreadStart,
  'owner' | 'port' | 'listeningFd' | 'data' | 'serves' | 'pipe' | 'counts' | 'slot' | 'connections' | 'files' | 'rounds'
>;

/** Doubles at each further death up to the maximum. */
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 10_000;
/**
 * Longest time to wait for a dying thread. It normally ends by itself earlier, but not if the fault was an
 * endless loop or a lock it holds.
 */
const DYING_MS = 3000;
/** The delay starts again from the first value after a thread that lived this long. */
const SETTLED_MS = 60_000;

interface Thread {
  readonly worker: Worker;
  readonly serves: ThreadStart['serves'];
  readonly slot: number;
  readonly owner: number;
  readonly bornAt: number;
}

/**
 * Starts the threads that answer requests, keeps them up to date, restarts dead ones, and closes them
 * together.
 */
export class ControlThreads implements Requests {
  readonly #birth: Birth;
  readonly #log: Logger;
  readonly #threads = new Set<Thread>();
  /** By owner: sockets of lookup threads, and the threads that have data to answer from. */
  readonly #fds = new Map<number, number>();
  readonly #viewing = new Set<number>();
  readonly #allViewing = Promise.withResolvers<void>();
  readonly #counts: SharedArrayBuffer;
  readonly #connections: SharedConnections;
  readonly #files: FileBudget;
  #nextOwner = 2;
  #port: number;
  #data: ThreadState = { ...NO_DATA, evidence: noEvidence() };
  #pipes: PipeFolder | undefined;
  #app: AppPipeAddress | undefined;
  #closing = false;
  #deaths = 0;
  #rounds = 0;
  #onRefreshFeed: (id: string) => void = () => {};
  #onView: (versions: { readonly risk: string; readonly geo: string }) => void = () => {};

  constructor(birth: Birth, log: Logger) {
    this.#birth = birth;
    this.#log = log;
    this.#port = birth.config.port;
    this.#counts = countsBuffer(birth.config.workers + 1);
    this.#connections = sharedConnections(birth.config.workers, randomBytes(16).toString('hex'));
    this.#files = fileBudget(openFilesMax(), birth.config.workers);
  }

  /**
   * Starts the lookup threads. @returns the port; if it is configured as 0, the first thread chooses it
   * @param listeningFds sockets to take over, one for each thread; they listen when `listen` is called
   * @throws when a thread cannot listen
   */
  async start(count: number, listeningFds: readonly number[] = []): Promise<number> {
    const chosen = this.#port !== 0;
    const first = this.#startOne('lookups', listeningFds[0]);
    if (!chosen) this.#port = await first;
    const others = Array.from({ length: count - 1 }, (_, at) => this.#startOne('lookups', listeningFds[at + 1]));
    await Promise.all([first, ...others]);
    return this.#port;
  }

  viewing(): Promise<void> {
    return this.#allViewing.promise;
  }

  listen(): void {
    for (const { worker } of this.#of('lookups')) worker.postMessage({ type: 'listen' } satisfies ToThread);
  }

  /** Sockets on which lookup threads listen. Empty where the platform does not give them. */
  listeningFds(): readonly number[] {
    return this.#of('lookups').flatMap(({ owner }) => this.#fds.get(owner) ?? []);
  }

  onView(listener: (versions: { readonly risk: string; readonly geo: string }) => void): void {
    this.#onView = listener;
  }

  onRefreshFeed(listener: (id: string) => void): void {
    this.#onRefreshFeed = listener;
  }

  publish(message: DataMessage): void {
    const before = this.#data;
    this.#data = applyMessage(before, message);
    // Health is published at every poll; only changes are sent on.
    if ((message.type === 'degraded' || message.type === 'sources') && this.#data === before) return;
    if (message.type === 'records') this.#rounds += 1;
    this.#send(message);
  }

  /**
   * Starts the app thread, which answers everything besides lookups. Until it listens, requests wait for it
   * or are answered 503. @throws when it cannot listen
   */
  async startApp(): Promise<void> {
    this.#pipes ??= await openPipeFolder(this.#birth.config.dataDir);
    if (!this.#closing) await this.#startOne('others');
  }

  writers(): readonly string[] {
    return [...this.#threads].map(({ owner }) => `${this.#birth.run}${owner.toString(36)}`);
  }

  counts(): CountsSeen {
    return readCounts(this.#counts);
  }

  ledgerOccupancy(): Record<'clients' | 'accounts', ReturnType<CounterTable['occupancy']>> {
    const { clients, accounts } = this.#tables();
    return { clients: clients.occupancy(), accounts: accounts.occupancy() };
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const cut = setTimeout(() => this.#threads.forEach(({ worker }) => void worker.terminate()), graceMs + 2000);
    // Requests of the lookup threads may need the app thread until their end.
    for (const serves of ['lookups', 'others'] as const)
      await Promise.all(this.#of(serves).map(({ worker }) => ended(worker, graceMs)));
    clearTimeout(cut);
    this.#pipes?.close();
  }

  #send(message: ToThread): void {
    for (const { worker } of this.#threads) worker.postMessage(message);
  }

  #of(serves: ThreadStart['serves']): readonly Thread[] {
    return [...this.#threads].filter((thread) => thread.serves === serves);
  }

  #setApp(pipe: AppPipeAddress | undefined): void {
    this.#app = pipe;
    for (const { worker } of this.#of('lookups')) worker.postMessage({ type: 'app', pipe } satisfies ToThread);
  }

  #startOne(serves: ThreadStart['serves'], listeningFd?: number): Promise<number> {
    const owner = this.#nextOwner++;
    const isApp = serves === 'others';
    const pipe = isApp ? newAppPipe(this.#pipes!.newPath()) : this.#app;
    const slot = isApp ? this.#birth.config.workers : this.#freeSlot();
    const workerData: ThreadStart = {
      ...this.#birth,
      owner,
      port: this.#port,
      listeningFd,
      data: this.#data,
      serves,
      pipe,
      counts: this.#counts,
      slot,
      connections: this.#connections,
      files: this.#files,
      rounds: this.#rounds,
    };
    const thread: Thread = {
      worker: new Worker(new URL('./http-worker.ts', import.meta.url), { workerData }),
      serves,
      slot,
      owner,
      bornAt: performance.now(),
    };
    this.#threads.add(thread);
    return new Promise((resolve, reject) => {
      let listening = false;
      let error: unknown;
      thread.worker.on('message', (message: FromThread) => {
        if (message.type === 'listening') {
          listening = true;
          if (message.fd !== undefined) this.#fds.set(owner, message.fd);
          if (isApp) this.#setApp(pipe);
          resolve(message.port);
        } else if (message.type === 'used') for (const { worker } of this.#of('others')) worker.postMessage(message);
        else if (message.type === 'key') this.#tellKey(message, thread);
        else if (message.type === 'view') this.#takeView(message, owner);
        else if (message.type === 'publish') this.publish(message.message);
        else if (message.type === 'refresh-feed') this.#onRefreshFeed(message.id);
        else if (message.type === 'dying') {
          if (isApp) this.#setApp(undefined);
          setTimeout(() => void thread.worker.terminate(), DYING_MS).unref();
        } else if (message.type === 'fault') reject(new Error(message.message));
      });
      thread.worker.on('error', (fault) => {
        error = fault;
        reject(fault);
      });
      thread.worker.on('exit', (status) => {
        this.#threads.delete(thread);
        this.#fds.delete(owner);
        this.#viewing.delete(owner);
        this.#releaseLocks(owner);
        if (isApp) {
          this.#setApp(undefined);
          this.#pipes?.remove(pipe!.path);
        }
        if (this.#closing) return;
        countThreadExit(this.#counts, slot);
        this.#log.error({ error, status, thread: owner }, 'a thread that answers requests died');
        reject(new Error(`a thread ended with status ${status} before it listened`));
        if (listening) this.#restart(thread);
      });
    });
  }

  #takeView(versions: { readonly risk: string; readonly geo: string }, owner: number): void {
    this.#viewing.add(owner);
    if (this.#of('lookups').every((thread) => this.#viewing.has(thread.owner))) this.#allViewing.resolve();
    this.#onView(versions);
  }

  /** Sends a key on to the other threads, unless records have changed since it was read. */
  #tellKey(message: Extract<FromThread, { type: 'key' }>, from: Thread): void {
    if (message.round !== this.#rounds) return;
    for (const thread of this.#threads) if (thread !== from) thread.worker.postMessage(message satisfies ToThread);
  }

  /** Returns a slot of counters that no living thread writes to. It continues the counts of a dead thread. */
  #freeSlot(): number {
    const taken = new Set([...this.#threads].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  #restart(dead: Thread): void {
    this.#deaths = performance.now() - dead.bornAt > SETTLED_MS ? 0 : this.#deaths + 1;
    const delay = backOff(this.#deaths + 1, { firstMs: RESTART_FIRST_MS, maxMs: RESTART_MAX_MS });
    setTimeout(() => {
      if (this.#closing) return;
      this.#startOne(dead.serves).then(
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
    for (const table of Object.values(this.#tables())) table.lock.releaseOf(owner);
  }

  #tables(): Record<'clients' | 'accounts', CounterTable> {
    const { ledger } = this.#birth;
    return {
      clients: new CounterTable(ledger.clients, ledger.clientShape, 1),
      accounts: new CounterTable(ledger.accounts, ledger.accountShape, 1),
    };
  }
}

function ended(worker: Worker, graceMs: number): Promise<void> {
  const gone = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
  worker.postMessage({ type: 'close', graceMs } satisfies ToThread);
  return gone;
}
