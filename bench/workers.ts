/**
 * One HTTP thread compared with two: lookups per second and resident memory, to see that threads share one
 * image. On a machine of two cores the load generator takes its part of one of them, so the gain shows only
 * where there are more: read the memory column.
 *
 *   node bench/workers.ts [--rounds 5] [--seconds 2] [--data-dir DIR]
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { loadInTurns, loadTable, requireTools, scratch, startPulse, stopAll } from './peers/http-load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'data-dir': { type: 'string' },
  },
});

try {
  requireTools();
  // Each has a folder of its own: two services that count in one refuse to run.
  const folder = (name: string): string => {
    const path = join(scratch, name);
    if (values['data-dir'] === undefined) writeSyntheticGeo(path);
    else cpSync(values['data-dir'], path, { recursive: true });
    return path;
  };
  const one = await startPulse({ name: 'one thread, one core', dataDir: folder('one'), workers: 1 });
  const two = await startPulse({ name: 'two threads, two cores', dataDir: folder('two'), workers: 2, cores: '0,1' });
  loadInTurns([one, two], Number(values.rounds), { seconds: Number(values.seconds), connections: 64 });
  loadTable([one, two], 'one');
} finally {
  await stopAll();
}
