import type { ListOptions } from '../../contract/lists.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export interface ListFetch {
  readonly at: UnixMs;
  readonly key: string;
  readonly prefixes: number;
  readonly bytes: number;
}

export interface StoredList {
  readonly id: string;
  /** Undefined for a list of the installation, which every key may fetch. */
  readonly accountId: string | undefined;
  readonly name: string;
  readonly settings: ListOptions;
  readonly changedAt: UnixMs;
  readonly fetched?: ListFetch;
}

/** Is told what the name means to the account, in the transaction of the change. */
export type ListCheck = (held: StoredList | undefined) => void;

export interface ListStore {
  /** Returns the account's lists and those of the installation, by name; without an account, all. */
  all(accountId?: string): Promise<readonly StoredList[]>;
  /** Returns the list that a name means to an account: its own, or else that of the installation. */
  find(accountId: string, name: string): Promise<StoredList | undefined>;
  /** Replaces a list of the same owner and name. `check` throws unless the list before may be changed. */
  save(
    list: Pick<StoredList, 'id' | 'accountId' | 'name' | 'settings'>,
    by: By,
    most: number,
    check?: ListCheck,
  ): Promise<StoredList | 'too_many'>;
  remove(accountId: string | undefined, name: string, by: By, check?: ListCheck): Promise<boolean>;
  /** Replaces the record of the last fetch. It writes no audit row. */
  noteFetch(id: string, fetched: ListFetch): Promise<void>;
}
