// Runs test files in a few processes, each of which takes file after file from one list (take-test-files.mjs): modules, and state of test/support, are loaded
// once a process, not once a file. Arguments: a folder for the claims, options of the test runner, then the files in the order in which they begin.
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { skipLine } from '../test/spec/note-skips.mjs';

const [folder, ...rest] = process.argv.slice(2);
const files = rest.filter((argument) => !argument.startsWith('-'));
const options = rest.filter((argument) => argument.startsWith('-'));
// node:test decides by its name whether a suite runs before the suite has loaded its tests: where tests are chosen, each file has its process.
const chosen = options.length > 0;
const queue = join(folder, 'queue');
mkdirSync(queue);
// Files that use the same service of their process (files of test/support) are taken together, so that it starts once. Those that take stores away wait most of the
// time: one after another, so that the other processes have work meanwhile.
const TOGETHER = [/\/browser-site\.ts/, /\/shared-service\.ts/, /\/stores\.ts|\.freeze\(\)/];
const togetherBy = (file) => {
  const text = readFileSync(file, 'utf8');
  return TOGETHER.find((sign) => sign.test(text));
};
const groups = Object.values(Object.groupBy(files, (file) => togetherBy(file) ?? file));
writeFileSync(join(queue, 'groups.json'), JSON.stringify(groups));
process.env.PULSE_TEST_QUEUE = queue;
/**
 * Every processor is at work, so threads that compile or collect memory next to the tests only take it from others: without them, and with memory collected less often,
 * the files of src take a fifth less processor time (and 1.3 GB instead of 0.8).
 */
const SATURATED = ['--single-threaded', '--min-semi-space-size=16', '--initial-old-space-size=256'];
const follow = `--import=${pathToFileURL(join(import.meta.dirname, 'follow-tests.mjs')).href}`;
// Files wait for something at times: one process more than there are processors keeps these at work to 97 %. One more still took 3 % more of them and no less time.
const concurrency = Math.min(files.length, availableParallelism() + 1);
const events = run({
  files: chosen ? files : Array(concurrency).fill(join(import.meta.dirname, 'take-test-files.mjs')),
  concurrency,
  execArgv: [follow, ...SATURATED, '--test-timeout=300000', ...options],
});
const skipped = createWriteStream(join(process.env.PULSE_TEST_RESULTS ?? folder, `skips-${process.pid}.ndjson`));
events.on('test:pass', (data) => {
  if (data.skip !== undefined) skipped.write(skipLine(data));
});
// The summary of the whole run names no file.
events.on('test:summary', ({ file, success }) => {
  if (file === undefined) process.exitCode = success ? 0 : 1;
});
// Until the summary has come, nothing has succeeded.
process.exitCode = 1;
events.compose(new spec()).pipe(process.stdout);
events.on('end', () => {
  skipped.end();
  const times = groups.flatMap((group, index) =>
    group.map((file, place) => {
      const seconds = join(queue, String(index), String(place));
      return [file, existsSync(seconds) ? Number(readFileSync(seconds)) : undefined];
    }),
  );
  for (const [file, seconds] of chosen ? [] : times) {
    if (seconds !== undefined) continue;
    process.stderr.write(`pulse: ${file} did not end\n`);
    process.exitCode = 1;
  }
  writeFileSync(join(folder, 'times.json'), JSON.stringify(times));
});
