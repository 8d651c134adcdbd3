/**
 * Imported before a served process (`--import`, in every thread of it): for each request, the synchronous work that the answering thread did between its
 * head and its last byte, as a JSON line in the file TEST_SYNC_WORK. Exact while requests come one after another to one thread.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/** Only HTTP threads have counters of requests. */
if (workerData?.counts !== undefined) {
  const { appendFileSync } = fs;
  let work = { files: [], statements: 0, statementsMs: 0 };
  // The note of one request is written when the next one may have begun, and appending calls writeFileSync.
  let noting = false;
  const note = (line) => {
    noting = true;
    appendFileSync(process.env.TEST_SYNC_WORK, line);
    noting = false;
  };
  for (const [name, call] of Object.entries(fs)) {
    if (!name.endsWith('Sync')) continue;
    fs[name] = (...given) => {
      if (!noting) work.files.push(name);
      return call(...given);
    };
  }
  syncBuiltinESMExports();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const call = StatementSync.prototype[name];
    StatementSync.prototype[name] = function (...given) {
      const since = performance.now();
      try {
        return call.apply(this, given);
      } finally {
        work.statements += 1;
        work.statementsMs += performance.now() - since;
      }
    };
  }
  // While a request is under way, the longest turn of the event loop.
  let [turnAt, holdMs, under] = [0, 0, false];
  const turn = () => {
    const now = performance.now();
    holdMs = Math.max(holdMs, now - turnAt);
    turnAt = now;
    if (under) setImmediate(turn);
  };
  subscribe('http.server.request.start', () => {
    work = { files: [], statements: 0, statementsMs: 0 };
    [turnAt, holdMs, under] = [performance.now(), 0, true];
    setImmediate(turn);
  });
  subscribe('http.server.response.finish', ({ request: { method, url }, response: { statusCode } }) => {
    const done = work;
    under = false;
    // The turn that ends the answer is measured when it is over.
    setImmediate(() => note(`${JSON.stringify({ method, url, status: statusCode, ...done, holdMs })}\n`));
  });
}
