import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { type ListeningPort, readListeningPorts } from '../../src/core/collection/traps/listening-ports.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const UNITS = ['pulse', 'pulse-sensor'].map((name) => ({ name, path: `deploy/systemd/${name}.service` }));
const ANALYZE = spawnSync('systemd-analyze', ['--version']).error === undefined;

describe('deploy', () => {
  for (const { name, path } of UNITS) {
    test(`systemd rates the exposure of ${name} below 2.0`, {
      skip: ANALYZE ? false : 'systemd-analyze is not installed',
    }, () => {
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(ROOT, path)], {
        encoding: 'utf8',
      });
      const rated = Number(/Overall exposure level for pulse\S*\.service: ([\d.]+)/.exec(stdout)?.[1]);
      assert.ok(rated < 2, stdout.slice(-200));
    });

    test(`${name} starts files that are there, and checks the runtime before`, () => {
      const started = [...read(path).matchAll(/^ExecStart=\/opt\/pulse\/(\S+)/gm)].map(([, file]) => file!);
      assert.equal(started.length, 1);
      for (const file of started) assert.ok(existsSync(join(ROOT, file)), file);
      assert.match(
        read(path),
        /^ExecStartPre=\/usr\/bin\/sha256sum --check --ignore-missing --quiet data\/runtime\.sha256$/m,
      );
    });
  }

  test('settings of the example of pulse.service are settings of the service, also those that are commented out', () => {
    const lines = read('deploy/systemd/pulse.env.example').split('\n');
    const values = lines.flatMap((line) => /^#?(PULSE_\w+)=(.*)$/.exec(line)?.slice(1, 3) ?? []);
    const env = Object.fromEntries(values.flatMap((name, at) => (at % 2 === 0 ? [[name, values[at + 1]!]] : [])));
    assert.ok(Object.keys(env).length > 4);
    assert.equal(loadConfig({ ...env, PULSE_DATA_DIR: testFolder('unit') }).baseUrl, env['PULSE_BASE_URL']);
  });

  test('the example of pulse-sensor.service has the variables that the unit uses', () => {
    const names = [...read('deploy/systemd/pulse-sensor.env.example').matchAll(/^#?(\w+)=/gm)].map(([, name]) => name!);
    const used = [...read('deploy/systemd/pulse-sensor.service').matchAll(/\$\{?(SENSOR_\w+)/g)].map(
      ([, name]) => name!,
    );
    assert.deepEqual(names.filter((name) => name.startsWith('SENSOR_')).toSorted(), [...new Set(used)].toSorted());
  });

  test('the container of a sensor has no capabilities, and publishes the ports it listens on', () => {
    const text = read('deploy/compose.sensor.yaml');
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true'])
      assert.ok(text.includes(line), line);
    assert.doesNotMatch(text, /cap_add|privileged:|docker\.sock|network_mode/);
    const listening = readListeningPorts([/--listen\n\s+- (\S+)/.exec(text)![1]!]);
    assert.ok(Array.isArray(listening) && listening.length > 10, String(listening));
    const published = [...text.matchAll(/- "(\d+):(\d+)"/g)].map(([, publicPort, port]) => ({
      port: Number(port),
      publicPort: Number(publicPort),
    }));
    assert.deepEqual(
      published,
      (listening as readonly ListeningPort[]).map(({ port, publicPort }) => ({ port, publicPort })),
    );
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
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true'])
      assert.ok(base.includes(line), line);
    const addeds = [...text.matchAll(/cap_add: (.*)/g)].map(([, added]) => added);
    assert.deepEqual(addeds, ['[NET_BIND_SERVICE]']);
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
