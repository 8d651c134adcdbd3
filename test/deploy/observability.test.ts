/** Alert rules and dashboard of deploy/observability: they name metrics that exist, and every rule is tested. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { metricNames } from '../../src/apps/metrics/render-metrics.ts';
import { covers } from '../spec/covers.ts';
import { findProgram } from '../support/find-program.ts';

const FOLDER = resolve(import.meta.dirname, '../../deploy/observability');
const read = (file: string): string => readFileSync(resolve(FOLDER, file), 'utf8');

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const RULES = (parse(read('alerts.yaml')) as Rules).groups.flatMap(({ rules }) => rules);
const EXPRESSIONS = [
  ...RULES.map(({ expr }) => expr),
  ...(JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

test('alert rules and dashboard ask for metrics that the service exports', () => {
  covers('OBSERVE');
  const exported = new Set(metricNames());
  const asked = EXPRESSIONS.flatMap((expr) => expr.match(/\b(?:pulse|process)_[a-z_]+/g) ?? []);
  assert.ok(asked.length > 30, String(asked.length));
  const unknown = asked.filter(
    (name) => !exported.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !exported.has(name),
  );
  assert.deepEqual(unknown, []);
});

test('every alert has a test in which it fires, and one in which it does not', () => {
  covers('OBSERVE');
  const cases = (parse(read('alert-cases.yaml')) as RuleTests).tests.flatMap((one) => one.alert_rule_test);
  const tried = (fires: boolean): readonly string[] =>
    [...new Set(cases.filter((one) => one.exp_alerts.length > 0 === fires).map((one) => one.alertname))].sort();
  const names = RULES.map(({ alert }) => alert).sort();
  assert.deepEqual([tried(true), tried(false)], [names, names]);
});

const promtool = findProgram('promtool', 'prometheus');

test('promtool accepts the rules, and their tests hold', {
  skip: promtool === undefined && 'there is no promtool',
}, () => {
  covers('OBSERVE');
  for (const words of [
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alert-cases.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool!, words, { cwd: FOLDER, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  }
});
