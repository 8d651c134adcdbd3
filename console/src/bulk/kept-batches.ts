/** Verdicts are of their moment: older answers are asked again. */
const KEPT_MS = 24 * 3_600_000;
const DATABASE = 'pulse-bulk';
const STORE = 'batches';

/** The answers of one batch. */
export interface KeptBatch<Kept = unknown, About = unknown> {
  /** Account and content of the file. */
  readonly run: string;
  readonly account: string;
  /** Name of the file, for the page. */
  readonly name: string;
  /** Entries of the file. */
  readonly of: number;
  /** They came then, in Unix milliseconds. */
  readonly at: number;
  /** Common part of the answers. */
  readonly about: About | undefined;
  readonly answers: readonly Kept[];
}

/** Keeps a batch in this browser. @throws DOMException where it keeps nothing, or has no room */
export const keepBatch = (batch: KeptBatch): Promise<void> => inStore('readwrite', (store) => store.add(batch));

/** Batches of an account that are not too old, the first first. @throws DOMException where the browser keeps nothing */
export async function keptBatches(account: string, now: number): Promise<readonly KeptBatch[]> {
  const all = await inStore<readonly KeptBatch[]>('readonly', (store) => store.getAll());
  return all.filter((batch) => batch.account === account && batch.at > now - KEPT_MS);
}

/** Drops old answers, and those that `isMeant` names. */
export async function dropBatches(now: number, isMeant: (batch: KeptBatch) => boolean): Promise<void> {
  await inStore('readwrite', (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null) return;
      const batch = cursor.value as KeptBatch;
      if (batch.at <= now - KEPT_MS || isMeant(batch)) cursor.delete();
      cursor.continue();
    };
    return request;
  });
}

/** Nothing of anybody is left in this browser. */
export const forgetAllBatches = (): void => void indexedDB.deleteDatabase(DATABASE);

/** @returns the result of the request of `use`, once its transaction is written */
async function inStore<Result>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest): Promise<Result> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE, { autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  try {
    return await new Promise<Result>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = use(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result as Result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
