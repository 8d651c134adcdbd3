import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { feedById } from '../../adapters/feeds/catalogue.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { unixMs } from '../../core/units.ts';
import { EvidenceBuilder } from '../../engine/evidence/evidence-builder.ts';
import { NO_POSITION, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import { exportSources, networkNotices } from './export-formats.ts';

const source = (id: string) => ({ id, family: id, lastRunAt: unixMs(0), runDays: 0 });
const IDS = ['greensnow', 'ipsum', 'cowrie', 'sensor-1', 'derived'];
const ids = (notices: readonly { readonly id: string }[]): readonly string[] => notices.map(({ id }) => id);

test('sources that allow no copies do not count and are named; own collection counts and is not', () => {
  const { published, own, leftOut, counts } = exportSources(IDS.map(source), false);
  assert.deepEqual([ids(published), own, ids(leftOut)], [['ipsum'], true, ['greensnow']]);
  assert.deepEqual(leftOut, [
    { id: 'greensnow', licence: feedById('greensnow')!.licence, attribution: feedById('greensnow')!.attribution },
  ]);
  assert.deepEqual(IDS.filter(counts), ['ipsum', 'cowrie', 'sensor-1', 'derived']);
});

test('asked for, all of them count and none is left out', () => {
  const { published, own, leftOut, counts } = exportSources(IDS.map(source), true);
  assert.deepEqual([ids(published), own, leftOut], [['greensnow', 'ipsum'], true, []]);
  assert.deepEqual(IDS.filter(counts), IDS);
  assert.equal(exportSources([source('ipsum')], true).own, false);
});

test('of lists about networks those of the catalogue are named', () => {
  assert.deepEqual(ids(networkNotices([{ id: 'aws' }, { id: 'asn-hosting' }, { id: 'a-customer' }])), ['aws']);
});

test('a list that is followed and of which the image has no row is not named', () => {
  const builder = new EvidenceBuilder();
  for (const id of ['ipsum', 'greensnow']) builder.source(source(id));
  const rows = new EvidenceRowBuffer();
  const { family, w0, w1, w2, w3, bits } = parsePrefix('1.2.3.4/32')!;
  rows.row(
    rows.prefix(family, w0, w1, w2, w3, bits),
    ROW_OP.fixed,
    0,
    RISK_TYPES.indexOf('osint'),
    0,
    unixMs(Date.UTC(2026, 5, 1)),
    1,
  );
  builder.add(rows.columns());
  const image = openEvidence(
    builder.compile({ dataVersion: 'r', builtAt: unixMs(0), ...NO_POSITION }, FIXED_SEED).buffer,
  );
  assert.deepEqual(ids(image.sources), ['ipsum', 'greensnow']);
  assert.deepEqual(ids(image.sourcesOfRows()), ['ipsum']);
});
