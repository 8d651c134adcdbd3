import type { IPTimeline } from '../../contract/documents.ts';
import type { Override } from '../../core/risk/override.ts';
import type { UnixMs } from '../../core/units.ts';
import type { HistoryTimeline } from '../ports.ts';
import { Problem } from '../problem.ts';
import { describeChanges } from './describe-changes.ts';
import { isOnRecord, type PulseQuery, readHistory, windowFrom } from './lookup-pulse.ts';

export interface TimelineLookupQuery extends Omit<PulseQuery, 'moment'> {
  /** Default: the beginning of the account's window. */
  readonly from: UnixMs | undefined;
  readonly to: UnixMs;
}

export class TimelineLookup {
  readonly #history: HistoryTimeline | undefined;
  readonly #overrides: () => Promise<readonly Override[]>;

  /** @param overrides of this installation, ended ones too */
  constructor(history: HistoryTimeline | undefined, overrides: () => Promise<readonly Override[]>) {
    this.#history = history;
    this.#overrides = overrides;
  }

  /** The caller has checked the beginning. @throws Problem history_not_enabled, not_found, history_unavailable */
  async changes({ from, now, ...query }: TimelineLookupQuery): Promise<IPTimeline> {
    const history = this.#history;
    if (history === undefined) throw new Problem('history_not_enabled');
    const { view, address, account } = query;
    if (!isOnRecord(view, address, now)) throw new Problem('not_found', { message: 'No record for this address.' });
    const earliest = windowFrom(now, account.historyDays, await readHistory(() => history.earliest()));
    const overrides = await this.#overrides();
    return describeChanges(history, overrides, { ...query, from: from ?? earliest, windowFrom: earliest });
  }
}
