import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { LayerRole } from '../../core/place/merge-place.ts';
import type { LayerSummary } from '../../core/place/refuse-layer-update.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { startOf, sumByRecord } from '../../engine/ranges/sum-by-record.ts';
import type { LayerFile } from './layer-file.ts';
import { readLayer } from './read-layer.ts';

/** Universities and research networks of many countries received this space once, and it does not move. */
const SAMPLE = [
  '129.132.19.216',
  '130.149.7.201',
  '131.111.150.25',
  '133.11.93.1',
  '147.46.10.20',
  '166.111.4.100',
  '202.120.2.119',
  '140.112.8.116',
  '128.250.1.1',
  '132.216.177.160',
  '128.112.136.10',
  '171.64.64.64',
  '143.107.1.1',
  '132.248.10.2',
  '130.237.32.10',
  '129.240.2.6',
  '130.225.1.1',
  '128.214.1.1',
  '130.89.1.1',
  '134.58.1.1',
  '147.83.2.135',
  '131.175.1.1',
  '193.136.1.1',
  '146.141.1.1',
  '161.200.192.1',
  '162.105.1.1',
  '202.114.1.1',
  '202.38.64.1',
  '211.65.1.1',
  '219.216.1.1',
  '2001:638::1',
  '2001:610::1',
  '2001:200::1',
  '2001:da8::1',
  '2607:f140::1',
];

export function summarizeLayer(layer: LayerFile): LayerSummary {
  const covered = { 4: 0, 6: 0 };
  const answers: Record<string, string> = {};
  for (const family of [4, 6] as const) {
    const { role, parts } = readLayer(layer, family);
    for (const { v4, v6, records } of parts) {
      const ranges = family === 4 ? v4 : v6;
      if (ranges === undefined) continue;
      const said = records.map((record) => answerOf(record, role, layer.gives));
      const addresses = sumByRecord(ranges, records.length);
      covered[family] += said.reduce((sum, answer, id) => (answer === undefined ? sum : sum + addresses[id]!), 0);
      for (const text of SAMPLE) {
        const answer = said[recordAt(ranges, text)];
        if (answer !== undefined) answers[text] = answer;
      }
    }
  }
  return { version: layer.version, covered, answers };
}

/** A Chinese-made layer counts where it names a province of China. */
function answerOf(record: LayerRecord | undefined, role: LayerRole, gives: LayerFile['gives']): string | undefined {
  if (gives === 'network') return record?.asn === undefined ? undefined : `AS${record.asn}`;
  return role === 'china' && (record?.country !== 'CN' || record.region === undefined) ? undefined : record?.country;
}

function recordAt(ranges: RangeSet, text: string): number {
  const { family, w0, w1 } = parseAnyAddress(text)!;
  if (family !== ranges.family) return 0;
  const at = family === 4 ? w0 : w0 * 2 ** 32 + w1;
  let low = 0;
  for (let high = ranges.count; high - low > 1; ) {
    const middle = (low + high) >>> 1;
    if (startOf(ranges, middle) <= at) low = middle;
    else high = middle;
  }
  return ranges.ids[low]!;
}
