import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticGeo } from '../../../test/support/synthetic-geo.ts';
import { suffixText } from '../../core/enrich/suffix-text.ts';
import { VerdictSuffixes } from '../../core/enrich/verdict-suffixes.ts';
import { FIELD_PATHS, type FieldPath } from '../../core/fields/field-path.ts';
import { fieldText, fieldValue } from '../../core/fields/field-value.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { HOUR_MS, unixMs } from '../../core/units.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../ports.ts';
import { withAsName } from './describe-network.ts';
import { LOCAL_ACCOUNT, LocalVerdicts } from './local-verdicts.ts';
import { lookupIpDocument } from './lookup-ip.ts';
import { PulseLookup, type PulseText } from './lookup-pulse.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const geo = openGeo(syntheticGeo().buffer as ArrayBuffer);
/** The small world, where addresses that end in 7 were seen. */
const view: LookupView = {
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: true,
  protection: undefined,
  geoJson: (address) => geo.placeJson(geo.placeId(address)) || undefined,
  network: (address) => geo.networkFacts(geo.networkId(address)),
  observations: ({ family, w0, w3 }) =>
    (family === 4 ? w0 : w3) % 256 === 7
      ? [
          {
            riskType: 'proxy',
            source: 'a',
            family: 'a',
            capturedAt: unixMs(NOW - HOUR_MS),
            days: 1,
            prefixBits: 32,
            pools: ['vendor'],
          },
        ]
      : [],
};
const pulse = new PulseLookup({ history: undefined, secret: new Uint8Array(32) });
const ADDRESSES: readonly Address[] = [
  ...['8.8.8', '1.2.3', '5.5.5', '9.9.9', '11.0.0', '12.0.0', '10.1.2'].flatMap((net) => [
    `${net}.1`,
    `${net}.2`,
    `${net}.7`,
  ]),
  ...['2001:4860::1', '2001:4860::7', '2a00::7', 'fe80::1', '2a00::1'],
].map((text) => parseAnyAddress(text)!);

/** The document of the single lookup with the name that only files of this machine have, or why there is none. */
function expected(address: Address, professional: boolean): object {
  const reserved = [10, 254].includes(address.w0 >>> 24);
  if (reserved) return { error: { code: 'reserved_ip' } };
  const question = { view, address, account: LOCAL_ACCOUNT, now: NOW, moment: undefined };
  const text = professional
    ? (pulse.lookup(question) as PulseText | undefined)?.json
    : JSON.stringify(lookupIpDocument(view, address, NOW));
  return text === undefined ? { error: { code: 'not_found' } } : withAsName(JSON.parse(text) as object, geo);
}

for (const professional of [false, true])
  test(`every field of every address is that of the ${professional ? 'professional' : 'free'} lookup, though classes share theirs`, () => {
    for (const fields of [
      ...FIELD_PATHS.filter((field) => field !== 'ip').map((field): readonly FieldPath[] => [field]),
      FIELD_PATHS.slice(1),
    ]) {
      const layout = { format: 'lines', separator: 0 } as const;
      const verdicts = new LocalVerdicts({ view, geo, at: NOW, fields, pulse: professional ? pulse : undefined });
      const suffixes = new VerdictSuffixes(verdicts, suffixText(layout, fields), true);
      const { store } = suffixes;
      // Twice: made, and remembered.
      for (const address of [...ADDRESSES, ...ADDRESSES]) {
        const number = suffixes.numberOf(address);
        const text = new TextDecoder().decode(store.bytes.subarray(store.starts[number], store.starts[number + 1]));
        const document = expected(address, professional);
        assert.equal(
          text,
          fields.map((field) => `\t${fieldText(fieldValue(document, field))}`).join(''),
          `${fields.join()} of ${JSON.stringify(address)}`,
        );
        assert.equal(store.isRefused(number), 'error' in document);
      }
    }
  });
