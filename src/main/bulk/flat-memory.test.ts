import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticGeo } from '../../../test/support/synthetic-geo.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { noEvidence, shareImage } from '../../adapters/snapshots/image-folder.ts';
import { DEFAULT_FIELDS } from '../../core/fields/field-path.ts';
import { detectLayout } from '../../core/logs/detect-layout.ts';
import { unixMs } from '../../core/units.ts';
import { localEnricher } from './local-enricher.ts';
import { readBlocks } from './read-blocks.ts';

const CHUNKS = 100;
const LINES = 6000;

/** A log that never repeats an address, in chunks that cut lines. */
async function* log(): AsyncGenerator<Uint8Array> {
  let address = 0x0800_0000;
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    let text = '';
    for (let line = 0; line < LINES; line++, address++)
      text += `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255} - - [22/Nov/2026:08:00:00 +0000] "GET /${'x'.repeat(80)} HTTP/1.1" 200 1\n`;
    yield Buffer.from(text);
  }
}

test('memory does not grow with the file, though no address comes twice', async () => {
  const at = unixMs(Date.UTC(2026, 10, 22));
  const images = {
    geo: shareImage(syntheticGeo()),
    evidence: noEvidence(),
    degraded: false,
    riskVersion: undefined,
    overrides: [],
    knownGood: loadKnownGood().table,
  };
  const { layout, blocks } = (await readBlocks(log(), detectLayout))!;
  const plan = { layout, fields: DEFAULT_FIELDS, form: 'same' } as const;
  const enricher = localEnricher({ plan, images, at, pools: undefined });
  let records = 0;
  let memory: Uint8Array | undefined;
  let isFirst = true;
  const held: number[] = [];
  for await (const block of blocks) {
    const done = enricher.enrich(block, isFirst, memory);
    memory = done.memory;
    records += done.counts.records;
    isFirst = false;
    const { arrayBuffers } = process.memoryUsage();
    held.push(arrayBuffers);
  }
  assert.equal(records, CHUNKS * LINES);
  const early = Math.max(...held.slice(0, 20));
  assert.ok(Math.max(...held) < early + 48 * 2 ** 20, `${early} ${Math.max(...held)}`);
});
