import type { SummaryActs, SummaryRow } from '../../contract/traffic-summary.ts';
import type { LogRequest } from '../logs/request-reader.ts';

const VALUES_MAX = 16;

export function addValue(counts: Map<string, number>, value: string): void {
  const known = counts.get(value);
  if (known !== undefined || counts.size < VALUES_MAX) counts.set(value, (known ?? 0) + 1);
}

export const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): readonly SummaryRow<string>[] =>
  [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([value, lines]) => ({ value, lines }));

const ADDRESSES_MAX = 4096;
const SHOWN = 3;

interface Acts {
  readonly paths: Map<string, number>;
  readonly statuses: Map<string, number>;
  readonly agents: Map<string, number>;
  bytes: number;
}

export class RequestActs {
  readonly #byAddress = new Map<string, Acts>();

  note(address: string, { path, status, agent, bytes = 0 }: LogRequest): void {
    let acts = this.#byAddress.get(address);
    if (acts === undefined) {
      if (this.#byAddress.size >= ADDRESSES_MAX) return;
      acts = { paths: new Map(), statuses: new Map(), agents: new Map(), bytes: 0 };
      this.#byAddress.set(address, acts);
    }
    if (path !== undefined) addValue(acts.paths, path);
    if (status !== undefined) addValue(acts.statuses, status);
    if (agent !== undefined) addValue(acts.agents, agent);
    acts.bytes += bytes;
  }

  of(address: string): SummaryActs | undefined {
    const acts = this.#byAddress.get(address);
    return (
      acts && {
        paths: mostFrequent(acts.paths, SHOWN),
        statuses: mostFrequent(acts.statuses, SHOWN),
        agents: mostFrequent(acts.agents, SHOWN),
        bytes: acts.bytes,
      }
    );
  }
}
