/**
 * From a client that tries a password, over a sensor that is killed while its service is away, to the verdict
 * of that client's address.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { expectedVerdict } from '../support/expected-verdict.ts';
import { freePort } from '../support/free-port.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type SensorProcess, sensorProcess } from '../support/sensor-process.ts';
import { serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

/** A capture that is so much older scores two points less. */
const SKEW_MS = 600_000;
const PASSWORD = 'Tr0ubadour-9';

/** A log-in over telnet, by a client with this address behind the load balancer. */
function logIn(sensor: SensorProcess, address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const client = connect(sensor.port('telnet'), '127.0.0.1', () =>
      client.write(`PROXY TCP4 ${address} 127.0.0.1 40000 23\r\n`),
    );
    client.on('error', reject);
    client.on('data', (bytes) => {
      const before = heard;
      heard += bytes.toString('latin1');
      if (/login: /.test(heard) && !/login: /.test(before)) client.write('root\r\n');
      if (/Password: /.test(heard) && !/Password: /.test(before)) client.write(`${PASSWORD}\r\n`);
      if (/incorrect/.test(heard)) client.destroy();
    });
    client.on('close', () => resolve(heard));
  });
}

describe('an attempt', () => {
  test('that a sensor captured while its service was away, before it was killed, is evidence when both are back', async (t) => {
    const [dataDir, sensorDir] = [testFolder('sensor'), testFolder('sensor')];
    writeSyntheticGeo(dataDir);
    const { key } = createKey(
      dataDir,
      'operator',
      ['--plan', 'professional', '--operator', '--dpa'],
      ['--send-only', '--source', 'trap-1'],
    );
    const keyFile = join(sensorDir, 'key');
    writeFileSync(keyFile, `${key}\n`);
    const start = (url: string): Promise<SensorProcess> =>
      sensorProcess(['telnet'], sensorDir, ['--report', url, '--key-file', keyFile, '--name', 'trap-1']);

    const first = await start(`http://127.0.0.1:${await freePort()}`);
    t.after(() => first.stop('SIGKILL'));
    const at = Date.now();
    assert.match(await logIn(first, '5.5.5.5'), /Login incorrect/);
    const spool = join(sensorDir, 'sensor', 'spool');
    const batches = () => (existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.gz')) : []);
    await eventually(() => batches().length === 1, { hint: first.logged });
    await eventually(() => first.logged().includes('they wait in the spool'), { hint: first.logged });
    await first.stop('SIGKILL');

    const row = JSON.parse(String(gunzipSync(readFileSync(join(spool, batches()[0]!))))) as Record<string, string>;
    assert.deepEqual(
      [row['ip'], row['risk_type'], row['protocol'], row['count']],
      ['5.5.5.5', 'honeypot_credential', 'telnet', 1],
    );
    assert.ok(
      !JSON.stringify(row).includes(PASSWORD) && !first.logged().includes(PASSWORD) && !first.logged().includes(key),
    );

    // The service's clock is ahead: sightings of the sensor are put on it.
    const server = await serveProcess({ dataDir, clockAt: Date.now() + SKEW_MS, env: MANY_ANONYMOUS });
    t.after(() => server.dispose());
    // An answer of a service that cannot take captures yet has a Date alone, and that is of the machine's own clock.
    await eventually(async () => {
      const sent = { method: 'POST', headers: { 'X-API-Key': key, 'X-Pulse-Sent-At': String(Date.now()) } };
      return (await fetch(`${server.base}/v1/evidence?source=trap-1`, sent)).headers.has('x-pulse-time');
    });
    const second = await start(server.base);
    t.after(() => second.stop('SIGKILL'));
    await eventually(() => batches().length === 0, { hint: () => `${second.logged()}\n${server.output()}` });
    type Answer = { evidence_state: string; risk: { score: number; level: string }; computed_at: string };
    const verdict = await eventually(
      async () => {
        const answer = (await (await fetch(`${server.base}/v1/ip/5.5.5.5`)).json()) as Answer;
        return answer.evidence_state === 'active' && answer;
      },
      { hint: () => server.output() },
    );
    const capturedAt = Date.parse(row['captured_at']!);
    assert.ok(capturedAt >= at && capturedAt <= Date.now());
    const capture = { riskType: 'honeypot_credential', at: capturedAt + SKEW_MS, source: 'trap-1', bits: 32 } as const;
    const { score, level } = expectedVerdict([capture], Date.parse(verdict.computed_at));
    assert.deepEqual(verdict.risk, { score, level });
    assert.ok(score > 70, String(score));
    assert.match(second.logged(), /the clock of this machine differs/);
    assert.equal(await second.stop(), 0, second.logged());
  });

  test('is evidence of this installation at once with --local', async (t) => {
    const dataDir = testFolder('sensor');
    writeSyntheticGeo(dataDir);
    const sensor = await sensorProcess(['telnet'], dataDir, ['--local', '--name', 'trap-2']);
    t.after(() => sensor.stop('SIGKILL'));
    await logIn(sensor, '5.5.5.5');
    await logIn(sensor, '10.1.2.3');
    assert.equal(await sensor.stop(), 0, sensor.logged());
    const looked = pulseJson(dataDir, ['lookup', '5.5.5.5']) as unknown as { evidence_state: string };
    assert.equal(looked.evidence_state, 'active', sensor.logged());
    const unexpected = readdirSync(join(dataDir, 'sensor', 'spool')).filter((name) => name.endsWith('.gz'));
    assert.deepEqual(unexpected, []);
  });
});

test('an impossible setting is refused before a port is opened', () => {
  const dataDir = testFolder('sensor');
  const refused = (...args: string[]): string => {
    const { status, stderr } = pulseOver(dataDir, ['sensor', '--listen', '1/tcp', ...args]);
    assert.equal(status, 2, stderr);
    return stderr;
  };
  assert.match(refused('--report', 'http://example.com', '--key-file', 'x'), /https/);
  assert.match(refused('--report', 'https://example.com'), /--key-file/);
  assert.match(refused(), /choose one of/);
  assert.match(refused('--try', '--local'), /choose one of/);
  assert.match(refused('--try', '--listen', '70000'), /is not \[PUBLIC:\]PORT/);
  assert.match(refused('--try', '--name', 'Sensor 1'), /lower-case/);
});
