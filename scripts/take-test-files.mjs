// One of the processes of a run: takes the next folder of test files that no other process has taken, until none is left. What files of one folder share (modules, a
// server, a database) is loaded once: with a process for each file, files of src/core take 80 % more processor time.
import { mkdirSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

const queue = process.env.PULSE_TEST_QUEUE;
// A promise that nothing settles fails its own test, at its bound: with nothing to wait for, the process would end before the files that are left.
const awake = setInterval(() => {}, 60_000);
// A folder is made by one process only, which is given its path.
for (const [index, files] of JSON.parse(readFileSync(join(queue, 'folders.json'), 'utf8')).entries())
  if (mkdirSync(join(queue, String(index)), { recursive: true }) !== undefined)
    for (const file of files) {
      // A test has its own bound. Building containers takes longest.
      await describe(file, { timeout: 1_800_000 }, async () => void (await import(pathToFileURL(resolve(file)).href)));
      // The other processes read from now on what this one has compiled; by itself Node writes it when the process ends.
      flushCompileCache();
    }
clearInterval(awake);
// One open socket after a failed test would hold the whole run.
setTimeout(() => {
  process.stderr.write(`pulse: tests have ended and are held by ${process.getActiveResourcesInfo().join(', ')}\n`);
  process.exit(1);
}, 60_000).unref();
