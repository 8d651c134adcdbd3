import type { PhoneLibraryName } from '../../contract/phone.ts';
import { RISK_TAGS } from '../../core/phone/dictionary.ts';
import { fault } from '../../core/texts/said.ts';
import { DAY_MS, type UnixMs } from '../../core/units.ts';
import type { RawPhoneRow } from '../../service/phone/import-phones.ts';

export interface SyntheticOptions {
  readonly records: number;
  readonly seed: number;
  readonly at: UnixMs;
  readonly library: PhoneLibraryName;
}

const BATCH = 4096;
/**
 * Spaces of synthetic numbers: mainland mobiles with second digit 3, 5, 7, 8 or 9 for `cn`; for `sg`
 * Malaysian ten-digit mobiles, as Singapore's own plan is too small.
 */
const CN_SPACE = 5_000_000_000;
const SECOND = ['3', '5', '7', '8', '9'];
const SG_SPACE = 1_000_000_000;

/** Yields distinct numbers in the proportions of a real library. A seed always gives the same numbers. */
export async function* syntheticPhones({
  records,
  seed,
  at,
  library,
}: SyntheticOptions): AsyncGenerator<readonly RawPhoneRow[]> {
  const space = library === 'cn' ? CN_SPACE : SG_SPACE;
  if (records > space)
    throw fault('a synthetic library of {library} holds at most {space} records', { library, space });
  const random = xorshift(seed);
  for (let from = 0; from < records; from += BATCH) {
    yield Array.from({ length: Math.min(BATCH, records - from) }, (_, index) =>
      synthesise(syntheticNumber(library, seed, from + index), random, at),
    );
  }
}

/**
 * Returns the i-th number of a synthetic library, E.164 without the plus. Numbers are distinct because step
 * and size of the space are coprime.
 */
export function syntheticNumber(library: PhoneLibraryName, seed: number, index: number): string {
  if (library === 'cn') {
    const place = Number((BigInt(index) * 2_654_435_761n + BigInt(seed) * 40_503n) % BigInt(CN_SPACE));
    return `861${SECOND[Math.floor(place / 1_000_000_000)]}${String(place % 1_000_000_000).padStart(9, '0')}`;
  }
  const place = Number((BigInt(index) * 654_435_761n + BigInt(seed) * 40_503n) % BigInt(SG_SPACE));
  return `601${String(place).padStart(9, '0')}`;
}

function synthesise(number: string, random: () => number, at: UnixMs): RawPhoneRow {
  const tag = RISK_TAGS[random() % RISK_TAGS.length]?.code ?? 116;
  const second = RISK_TAGS[random() % RISK_TAGS.length]?.code ?? 116;
  const idle = random() % 3 === 0 ? 91 + (random() % 300) : random() % 90;
  const last = at - idle * DAY_MS - (random() % DAY_MS);
  const age = random() % 400;
  return {
    number: `+${number}`,
    risk: random() % 10,
    tags: random() % 4 === 0 ? [tag, second] : [tag],
    primary_tag: tag,
    first_seen: Math.floor((last - age * DAY_MS) / 1000),
    last_active: Math.floor(last / 1000),
    observed_days: 1 + (random() % (age + 1)),
    ...(random() % 2 === 0 ? {} : { card_type: 301 + (random() % 7) }),
  };
}

function xorshift(seed: number): () => number {
  let state = (seed * 2_654_435_769) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
