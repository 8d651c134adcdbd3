import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const UNIT = 'deploy/systemd/pulse.service';
const ANALYZE = spawnSync('systemd-analyze', ['--version']).error === undefined;

describe('deploy', () => {
  test('systemd rates the exposure of the unit below 2.0', { skip: ANALYZE ? false : 'systemd-analyze is not installed' }, () => {
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(ROOT, UNIT)], { encoding: 'utf8' });
    const rated = Number(/Overall exposure level for pulse\.service: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(rated < 2, stdout.slice(-200));
  });

  test('the unit starts files that are there, and checks the runtime before', () => {
    const started = [...read(UNIT).matchAll(/^ExecStart=\/opt\/pulse\/(\S+)/gm)].map(([, path]) => path!);
    assert.equal(started.length, 1);
    for (const path of started) assert.ok(existsSync(join(ROOT, path)), path);
    assert.match(read(UNIT), /^ExecStartPre=\/usr\/bin\/sha256sum --check --ignore-missing --quiet data\/runtime\.sha256$/m);
  });

  test('no container of the compose file may gain privileges, write to its root or keep capabilities but those it names', () => {
    const text = read('deploy/compose.yaml');
    const services = text
      .slice(text.indexOf('\nservices:\n') + '\nservices:\n'.length, text.indexOf('\nvolumes:'))
      .split(/^ {2}(?=\w[\w-]*:\n)/m)
      .slice(1);
    assert.ok(services.length >= 6);
    for (const service of services) assert.match(service, /<<: \*(node|hardened)/, service);
    const base = text.slice(text.indexOf('x-hardened:'), text.indexOf('x-node:'));
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true']) assert.ok(base.includes(line), line);
    assert.deepEqual(
      [...text.matchAll(/cap_add: (.*)/g)].map(([, added]) => added),
      ['[NET_BIND_SERVICE]'],
    );
    assert.doesNotMatch(text, /privileged|docker\.sock|network_mode: host/);
  });

  test('no secret stands in the compose file: each is a file that make-secrets.sh makes', () => {
    const text = read('deploy/compose.yaml');
    const files = [...text.matchAll(/file: \.\/secrets\/(\w+)/g)].map(([, name]) => name!);
    const made = [...read('deploy/make-secrets.sh').matchAll(/^make (\w+) /gm)].map(([, name]) => name!);
    assert.deepEqual(files.toSorted(), made.toSorted());
    assert.doesNotMatch(text, /PASSWORD: |\/\/pulse:/);
  });
});
