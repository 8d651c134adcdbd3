import { randomBytes } from 'node:crypto';
import { setNameFault } from '../../core/export/text-formats.ts';
import { readListOptions } from '../../core/lists/list-options.ts';
import { said } from '../../core/texts/said.ts';
import type { By } from '../accounts/account-store.ts';
import { NETWORK_SIGNALS } from '../lookup/export-entries.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { ListCheck, ListStore, StoredList } from './list-store.ts';

const LISTS_PER_OWNER_MAX = 50;

/**
 * Saves a list under a name, in place of the one that has it.
 * @param isPassedOn tells that its account gets nothing that may not be passed on
 * @throws Problem bad_request
 */
export async function saveList(
  store: Pick<ListStore, 'save'>,
  {
    accountId,
    name,
    settings,
  }: { readonly accountId: string | undefined; readonly name: string; readonly settings: unknown },
  by: By,
  isPassedOn = false,
  check?: ListCheck,
): Promise<StoredList> {
  const fault = setNameFault(name);
  if (fault !== undefined) throw new Problem('bad_request', { message: fault });
  const read = readListOptions(settings);
  if (typeof read === 'string') throw new Problem('bad_request', { message: read });
  const hidden = (read.signals ?? []).filter((signal) => isPassedOn && NETWORK_SIGNALS.includes(signal));
  if (hidden.length > 0)
    throw new Problem('bad_request', {
      message: said('{signals} come from network data, which is only in lists of operator accounts.', {
        signals: hidden.join(', '),
      }),
    });
  const saved = await store.save(
    { id: newId('lst', randomBytes), accountId, name, settings: read },
    by,
    LISTS_PER_OWNER_MAX,
    check,
  );
  if (saved === 'too_many')
    throw new Problem('bad_request', {
      message: said('There are at most {max} lists; remove one first.', { max: LISTS_PER_OWNER_MAX }),
    });
  return saved;
}

export async function removeList(
  store: Pick<ListStore, 'remove'>,
  accountId: string | undefined,
  name: string,
  by: By,
  check?: ListCheck,
): Promise<void> {
  if (!(await store.remove(accountId, name, by, check)))
    throw new Problem('not_found', { message: said('There is no list {name}.', { name: JSON.stringify(name) }) });
}
