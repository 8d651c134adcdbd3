import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { every } from './every.ts';

function rig(t: TestContext, work: () => unknown) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: string[] = [];
  const faults: (string | undefined)[] = [];
  const log = {
    error: (_fields: object, text: string) => lines.push(text),
    info: (_fields: object, text: string) => lines.push(text),
  };
  const repeated = every('looking', 1000, work, {
    log,
    meanwhile: 'the last state serves',
    onFault: (reason) => faults.push(reason),
  });
  /** Lets a second pass, and a run that it began end. */
  const tick = async (): Promise<void> => {
    t.mock.timers.tick(1000);
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  return { lines, faults, repeated, tick };
}

test('work that throws or rejects is done again, each fault is reported once, and so is its end', async (t) => {
  const outcomes: (string | undefined)[] = ['EACCES', 'EACCES', 'EIO', 'EACCES', undefined, undefined, 'EACCES'];
  let runs = 0;
  const { lines, faults, tick } = rig(t, () => {
    const outcome = outcomes[runs++];
    if (outcome === 'EIO') throw new Error(outcome);
    return outcome === undefined ? undefined : Promise.reject(new Error(outcome));
  });
  for (let i = 0; i < outcomes.length; i++) await tick();
  assert.equal(runs, outcomes.length);
  assert.deepEqual(faults, ['EACCES', 'EIO', undefined, 'EACCES']);
  const failed = 'looking failed; the last state serves';
  assert.deepEqual(lines, [failed, failed, 'looking: succeeded again', failed]);
});

test('a fault whose words are new at every run does not fill the log', async (t) => {
  let runs = 0;
  const { lines, tick } = rig(t, () => {
    throw new Error(`.part-${runs++}`);
  });
  for (let i = 0; i < 100; i++) await tick();
  assert.equal(runs, 100);
  assert.equal(lines.length, 16);
});

test('runs never overlap; a run that is asked for during another one follows it; stop waits for the run under way and begins none', async (t) => {
  const gates: (() => void)[] = [];
  const { repeated, tick } = rig(t, () => new Promise<void>((resolve) => void gates.push(resolve)));
  await tick();
  await tick();
  assert.equal(gates.length, 1);
  const asked = repeated.now();
  gates[0]!();
  await tick();
  assert.equal(gates.length, 2);
  gates[1]!();
  await asked;
  await tick();
  assert.equal(gates.length, 3);
  let stopped = false;
  const stopping = repeated.stop().then(() => {
    stopped = true;
  });
  await tick();
  assert.equal(stopped, false);
  gates[2]!();
  await stopping;
  await repeated.now();
  await tick();
  assert.equal(gates.length, 3);
});
