/**
 * Imported before a served process (`--import`, in every thread of it): for each request, the synchronous work that the answering thread did between its
 * head and its last byte, as a JSON line in the file TEST_SYNC_WORK. Exact while requests come one after another to one thread. A request may carry a label in
 * the header `x-asked-route`. What the thread of the records database runs is noted statement by statement, in TEST_SYNC_WORK with `.records` behind it.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

const { appendFileSync } = fs;
// Appending calls writeFileSync.
let noting = false;
const note = (file, fact) => {
  noting = true;
  appendFileSync(file, `${JSON.stringify(fact)}\n`);
  noting = false;
};

/** @param each called with every statement that ran in this thread */
function countStatements(each) {
  const texts = new WeakMap();
  const { prepare, exec } = DatabaseSync.prototype;
  const counted = (sql, steps, ask) => {
    const [since, from] = [performance.now(), steps()];
    let rows = 0;
    try {
      const answer = ask();
      rows = Array.isArray(answer) ? answer.length : answer === undefined ? 0 : 1;
      return answer;
    } finally {
      each({ sql, rows, steps: steps() - from, ms: performance.now() - since });
    }
  };
  DatabaseSync.prototype.prepare = function (sql, ...more) {
    const statement = prepare.call(this, sql, ...more);
    texts.set(statement, sql);
    return statement;
  };
  DatabaseSync.prototype.exec = function (sql) {
    const none = () => 0;
    return counted(sql, none, () => exec.call(this, sql));
  };
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const call = StatementSync.prototype[name];
    StatementSync.prototype[name] = function (...given) {
      const steps = () => this.stat('vmStep');
      return counted(texts.get(this), steps, () => call.apply(this, given));
    };
  }
}

/** @param each called with every synchronous call of the file system in this thread */
function countFiles(each) {
  for (const [name, call] of Object.entries(fs)) {
    if (!name.endsWith('Sync')) continue;
    fs[name] = (...given) => {
      if (!noting) each(typeof given[0] === 'string' ? `${name} ${given[0]}` : name);
      return call(...given);
    };
  }
  syncBuiltinESMExports();
}

/** While a request is under way: the longest turn of the event loop, by the clock and by the processor time that this thread took in it. */
class Turns {
  #at = 0;
  #cpu = 0;
  #under = false;

  begin() {
    [this.#at, this.#cpu, this.holdMs, this.holdCpuMs, this.#under] = [performance.now(), cpuMs(), 0, 0, true];
    setImmediate(() => this.#turn());
  }

  /** The turn that ends the answer is measured when it is over. */
  end(done) {
    this.#under = false;
    setImmediate(() => {
      this.#measure();
      done();
    });
  }

  #turn() {
    this.#measure();
    if (this.#under) setImmediate(() => this.#turn());
  }

  #measure() {
    const [now, cpu] = [performance.now(), cpuMs()];
    [this.holdMs, this.holdCpuMs] = [Math.max(this.holdMs, now - this.#at), Math.max(this.holdCpuMs, cpu - this.#cpu)];
    [this.#at, this.#cpu] = [now, cpu];
  }
}

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

// Only HTTP threads have counters of requests.
if (workerData?.counts !== undefined) {
  const nothing = () => ({ files: [], statements: [] });
  let work = nothing();
  const turns = new Turns();
  countFiles((file) => work.files.push(file));
  countStatements((statement) => work.statements.push(statement));
  subscribe('http.server.request.start', () => {
    work = nothing();
    turns.begin();
  });
  subscribe('http.server.response.finish', ({ request: { method, url, headers }, response: { statusCode } }) => {
    const done = work;
    turns.end(() => {
      const { holdMs, holdCpuMs } = turns;
      note(process.env.TEST_SYNC_WORK, { label: headers['x-asked-route'], method, url, status: statusCode, ...done, holdMs, holdCpuMs });
    });
  });
} else if (workerData?.path?.endsWith('pulse.db')) {
  countStatements((statement) => note(`${process.env.TEST_SYNC_WORK}.records`, statement));
}
