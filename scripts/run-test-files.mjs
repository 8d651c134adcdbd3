// Runs test files, each in a process of its own, in the order in which they are given: `node --test` sorts them. Arguments: a file for the skipped tests, then the test files.
import { createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { skipLine } from '../test/spec/note-skips.mjs';

/** See there. */
const ENDED = ['--import', new URL('./end-test-file.mjs', import.meta.url).href];
const [skips, ...files] = process.argv.slice(2);
const skipped = createWriteStream(skips);
// Most files wait for something a third of their time: one more than there are processors keeps all of these at work.
const events = run({ files, concurrency: availableParallelism() + 1, timeout: 300_000, execArgv: ENDED });
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
events.on('end', () => skipped.end());
