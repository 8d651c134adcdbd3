import type { SummaryActs, SummaryRow } from '../../contract/traffic-summary.ts';
import type { LoggedRequest } from '../logs/request-reader.ts';

/** Addresses whose requests are kept; later ones are counted alone. */
const ADDRESSES_MAX = 4096;
/** Distinct values of a kind that are kept of one address. */
const VALUES_MAX = 16;
/** Values that are shown. */
const SHOWN = 3;
const TEXT_MAX = 100;

interface Acts {
  readonly paths: Map<string, number>;
  readonly statuses: Map<string, number>;
  readonly agents: Map<string, number>;
  bytes: number;
}

/** Requests of the addresses that matter, in memory with a bound. */
export class RequestActs {
  readonly #byAddress = new Map<string, Acts>();

  /** Whether a request of the address is kept. */
  takes(address: string): boolean {
    return this.#byAddress.size < ADDRESSES_MAX || this.#byAddress.has(address);
  }

  note(address: string, { path, status, agent, bytes = 0 }: LoggedRequest): void {
    let acts = this.#byAddress.get(address);
    if (acts === undefined) {
      acts = { paths: new Map(), statuses: new Map(), agents: new Map(), bytes: 0 };
      this.#byAddress.set(address, acts);
    }
    if (path !== undefined) add(acts.paths, path);
    if (status !== undefined) add(acts.statuses, status);
    if (agent !== undefined) add(acts.agents, agent);
    acts.bytes += bytes;
  }

  of(address: string): SummaryActs | undefined {
    const acts = this.#byAddress.get(address);
    return (
      acts && {
        paths: mostFrequent(acts.paths),
        statuses: mostFrequent(acts.statuses),
        agents: mostFrequent(acts.agents),
        bytes: acts.bytes,
      }
    );
  }
}

function add(counts: Map<string, number>, value: string): void {
  const text = value.slice(0, TEXT_MAX);
  const known = counts.get(text);
  if (known !== undefined || counts.size < VALUES_MAX) counts.set(text, (known ?? 0) + 1);
}

const mostFrequent = (counts: ReadonlyMap<string, number>): readonly SummaryRow<string>[] =>
  [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, SHOWN)
    .map(([value, lines]) => ({ value, lines }));
