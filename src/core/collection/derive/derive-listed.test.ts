import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RISK_TYPES } from '../../../contract/risk.ts';
import { CaptureBatchBuilder, SOURCE_TYPE } from '../../evidence/capture-batch-builder.ts';
import { parsePrefix } from '../../ip/prefix.ts';
import { unixMs } from '../../units.ts';
import type { CollectionFacts } from './derivation-rules.ts';
import { deriveListed } from './derive-listed.ts';

const FACTS: CollectionFacts = {
  network: ({ w0 }) => ({
    usageType: w0 >>> 24 === 30 ? 'IDC' : w0 >>> 24 === 50 ? undefined : 'DYN',
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
    asn: 64500,
  }),
  isKnownGood: ({ w0 }, at) => w0 >>> 24 === 40 && at > 1000,
};

test('a single address of an access network is of the derived kind; ranges, space without a code, other space, known services and rows of another kind keep theirs', () => {
  const kinds = (at: number) => {
    const builder = new CaptureBatchBuilder(8);
    for (const prefix of '20.0.0.1/32 20.0.1.0/24 30.0.0.1/32 40.0.0.1/32 50.0.0.1/32 2a00::1/128 2a00:1::/64'.split(
      ' ',
    ))
      builder.add(parsePrefix(prefix)!);
    for (const riskType of ['proxy', 'osint'] as const) builder.add(parsePrefix('20.0.0.2/32')!, { riskType });
    return [
      ...deriveListed(builder.build(), { riskType: 'proxy', derives: 'hijacked_proxy' }, FACTS, unixMs(at)).type,
    ].map((type) => (type === SOURCE_TYPE ? 'own' : RISK_TYPES[type]));
  };
  assert.deepEqual(kinds(2000), 'hijacked_proxy own own own own hijacked_proxy own hijacked_proxy osint'.split(' '));
  assert.equal(kinds(1000)[3], 'hijacked_proxy', 'it is not a known service yet');
});
