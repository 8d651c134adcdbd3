import { type Said, said } from '../texts/said.ts';

export interface LayerSummary {
  readonly version: string;
  /** Addresses that it says something about: IPv4 addresses, and /64 networks of IPv6. */
  readonly covered: Readonly<Record<4 | 6, number>>;
  /** Its records of the sample addresses it knows: the country, or the AS number of a routing table. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Share of the former coverage that a new content must have: space changes hands, but never a tenth of it in a month. */
const COVERED_MIN = 0.9;
/** Share of the sample addresses that must be answered as before. They belong to universities and national networks, which do not move. */
const SAME_MIN = 0.9;

/** Why a new content of a layer must not replace the former one; undefined when it may. */
export function refuseLayerUpdate(before: LayerSummary, after: LayerSummary): Said | undefined {
  if (after.version < before.version)
    return said('its content of {after} is older than that of {before}', {
      after: after.version,
      before: before.version,
    });
  for (const family of [4, 6] as const) {
    const share = before.covered[family] === 0 ? 1 : after.covered[family] / before.covered[family];
    if (share < COVERED_MIN)
      return said('it covers {share} of the IPv{family} space of the former one, less than {min}', {
        share: percent(share),
        family,
        min: percent(COVERED_MIN),
      });
  }
  if (after.covered[4] + after.covered[6] === 0) return said('it says nothing about any address');
  const known = Object.keys(before.answers);
  const moved = known.filter((address) => after.answers[address] !== before.answers[address]);
  if (known.length - moved.length >= known.length * SAME_MIN) return undefined;
  const [first] = moved as [string];
  return said('{moved} of {known} sample addresses changed, such as {address} from {before} to {after}', {
    moved: moved.length,
    known: known.length,
    address: first,
    before: before.answers[first] ?? '',
    after: after.answers[first] ?? 'unknown',
  });
}

const percent = (share: number): string => `${Math.floor(share * 100)} %`;
