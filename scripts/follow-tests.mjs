// Loaded before node:test by each process that runs tests. To know the test that a call belongs to, node:test follows every promise and timer of its process with
// async hooks, and waits for each to be collected: a tenth of all processor time of the processes that test. AsyncLocalStorage, which costs next to nothing, knows it too.
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Threads of a test hold no tests.
if (isMainThread) await follow();

async function follow() {
  const hooks = createRequire(import.meta.url)('node:async_hooks');
  const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;
  /** Number of the test, suite or hook that runs. */
  const running = new AsyncLocalStorage();
  /** Notes a test under its number. */
  let note = () => {};

  hooks.createHook = ({ init }) => {
    note = init;
    return { enable() {}, disable() {} };
  };
  hooks.executionAsyncId = () => running.getStore();
  /** Tests, suites and hooks are resources of this kind. */
  hooks.AsyncResource = class extends AsyncResource {
    constructor(type, options) {
      super(type, options);
      note(this.asyncId(), type, this.triggerAsyncId(), this);
    }

    runInAsyncScope(fn, self, ...args) {
      return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(fn, self, args)));
    }
  };
  await import('node:test');
  // Only node:test has been given these.
  Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
}
