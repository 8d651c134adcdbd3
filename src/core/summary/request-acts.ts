import type { SummaryActs, SummaryRow } from '../../contract/traffic-summary.ts';

/** Addresses whose requests are kept; later ones are counted alone. */
const ADDRESSES_MAX = 4096;
/** Distinct values of a kind that are kept of one address. */
const VALUES_MAX = 16;
/** Values that are shown. */
const SHOWN = 3;
const TEXT_MAX = 100;

/** Request line, status and size, and behind the referrer the user agent, as access logs have them. */
const REQUEST =
  /"[^" ]+ (?<path>[^" ]+)[^"]*" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?:[^"\\]|\\.)*" "(?<agent>(?:[^"\\]|\\.)*)")?/;
/** As load balancers of AWS write them: statuses and sizes before the request, whose address is a whole link. */
const BALANCED =
  / (?<status>\d{3}) (?:\d{3}|-) \d+ (?<bytes>\d+) "[^" ]+ \w+:\/\/[^" /]+(?<path>\/[^" ]*)[^"]*" "(?<agent>(?:[^"\\]|\\.)*)"/;

interface Acts {
  readonly paths: Map<string, number>;
  readonly statuses: Map<string, number>;
  readonly agents: Map<string, number>;
  bytes: number;
}

/** Requests of the addresses that matter, in memory with a bound. */
export class RequestActs {
  readonly #byAddress = new Map<string, Acts>();

  /** A line of an access log; a line of another kind is left out. */
  note(address: string, line: string): void {
    const { path, status, bytes, agent } = (REQUEST.exec(line) ?? BALANCED.exec(line))?.groups ?? {};
    if (path === undefined) return;
    let acts = this.#byAddress.get(address);
    if (acts === undefined) {
      if (this.#byAddress.size >= ADDRESSES_MAX) return;
      acts = { paths: new Map(), statuses: new Map(), agents: new Map(), bytes: 0 };
      this.#byAddress.set(address, acts);
    }
    add(acts.paths, path.split('?', 1)[0]!);
    add(acts.statuses, status!);
    if (agent !== undefined && agent !== '-') add(acts.agents, agent);
    if (bytes !== '-') acts.bytes += Number(bytes);
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
