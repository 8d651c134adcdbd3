// Runs test files in a few processes, each of which takes file after file from one list (take-test-files.mjs): modules, and state of test/support, are loaded
// once a process, not once a file. Arguments: a folder for the claims, options of the test runner, then the files in the order in which they begin.
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { skipLine } from '../test/spec/note-skips.mjs';

const [folder, ...rest] = process.argv.slice(2);
const files = rest.filter((argument) => !argument.startsWith('-'));
const options = rest.filter((argument) => argument.startsWith('-'));
// node:test decides by its name whether a suite runs before the suite has loaded its tests: where tests are chosen, each file has its process.
const chosen = options.length > 0;
const queue = join(folder, 'queue');
mkdirSync(queue);
writeFileSync(join(queue, 'files.json'), JSON.stringify(files));
process.env.PULSE_TEST_QUEUE = queue;
// Most files wait for something a third of their time: two more than there are processors keep all of these at work.
const concurrency = Math.min(files.length, availableParallelism() + 2);
const events = run({
  files: chosen ? files : Array(concurrency).fill(join(import.meta.dirname, 'take-test-files.mjs')),
  concurrency,
  execArgv: ['--test-timeout=300000', ...options],
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
  const seconds = (index) => join(queue, String(index), 'seconds');
  for (const file of files.filter((_, index) => !chosen && !existsSync(seconds(index)))) {
    process.stderr.write(`pulse: ${file} did not end\n`);
    process.exitCode = 1;
  }
  const times = files.map((file, index) => [
    file,
    existsSync(seconds(index)) ? Number(readFileSync(seconds(index))) : 0,
  ]);
  writeFileSync(join(folder, 'times.json'), JSON.stringify(times));
});
