// One process of run-test-files.mjs: takes the next files of the list that no other process has taken, until none are left. Each file is a suite with hooks of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/** node:test bounds a test, never a file: one open socket after a failed test would hold the whole run for ever. */
const LONGEST_MS = 600_000;
/** Builds and starts containers: minutes of downloads and of other processes' work. */
const LONGER = { 'test/deploy/containers.test.ts': 1_800_000 };
const queue = process.env.PULSE_TEST_QUEUE;
const groups = JSON.parse(readFileSync(join(queue, 'groups.json'), 'utf8'));
let limit;

for (const [index, group] of groups.entries())
  if (claim(index))
    for (const [place, file] of group.entries()) await runFile(join(String(index), String(place)), file);
endAfter('all files', 60_000);

/** A folder is made by one process only. */
function claim(index) {
  try {
    mkdirSync(join(queue, String(index)));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param took file of the queue that gets its seconds */
async function runFile(took, file) {
  const longest = LONGER[file] ?? LONGEST_MS;
  endAfter(file, longest);
  const started = performance.now();
  await describe(file, { timeout: longest }, async () => void (await import(pathToFileURL(resolve(file)).href)));
  // The other processes read from now on what this one has compiled; by itself Node writes it when the process ends.
  flushCompileCache();
  writeFileSync(join(queue, took), ((performance.now() - started) / 1000).toFixed(1));
}

/** A timer that holds nothing up. */
function endAfter(held, ms) {
  clearTimeout(limit);
  limit = setTimeout(() => {
    process.stderr.write(
      `pulse: ended ${ms / 1000} s after the start of ${held}, held by ${process.getActiveResourcesInfo().join(', ')}\n`,
    );
    process.exit(1);
  }, ms).unref();
}
