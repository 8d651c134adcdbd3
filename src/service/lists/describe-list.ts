import type { ListDocument } from '../../contract/lists.ts';
import { isoTime } from '../iso-time.ts';
import type { StoredList } from './list-store.ts';

/** Only operators see who fetched a list of the installation. */
export const describeList = (
  { accountId, name, settings, changedAt, fetched }: StoredList,
  isOperator: boolean,
): ListDocument => ({
  name,
  shared: accountId === undefined,
  ...settings,
  changed_at: isoTime(changedAt),
  ...(fetched !== undefined &&
    (accountId !== undefined || isOperator) && {
      last_fetch: { at: isoTime(fetched.at), key_id: fetched.key, prefixes: fetched.prefixes, bytes: fetched.bytes },
    }),
});
