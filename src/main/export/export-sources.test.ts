import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedById } from '../../adapters/feeds/catalogue.ts';
import { unixMs } from '../../core/units.ts';
import { exportSources, networkNotices } from './export-sources.ts';

const source = (id: string) => ({ id, family: id, lastRunAt: unixMs(0), runDays: 0 });
const IDS = ['greensnow', 'ipsum', 'cowrie', 'sensor-1', 'derived'];
const ids = (notices: readonly { readonly id: string }[]): readonly string[] => notices.map(({ id }) => id);

test('sources that allow no copies do not count and are named; own collection counts and is not', () => {
  const { published, own, leftOut, counts } = exportSources(IDS.map(source), false);
  assert.deepEqual([ids(published), own, ids(leftOut)], [['ipsum'], true, ['greensnow']]);
  assert.deepEqual(leftOut, [{ id: 'greensnow', licence: feedById('greensnow')!.licence, attribution: feedById('greensnow')!.attribution }]);
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
