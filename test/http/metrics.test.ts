/** GET /metrics on a listener of its own, of a real server of two threads: one scrape covers both. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { rawHttp } from '../support/raw-http.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

let server: ServeProcess;
before(async () => {
  server = await serveProcess({
    env: { ...MANY_ANONYMOUS, PULSE_WORKERS: '2', PULSE_BASE_URL: 'https://pulse.example' },
  });
});
after(() => server.dispose());

/** A connection of its own each time, so that the kernel spreads them over the threads. */
function get(
  base: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(base + path, { headers, method, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    });
    asked.on('error', reject).end();
  });
}

const numberAt = (text: string, metric: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${metric} `))
      ?.slice(metric.length + 1),
  );

test('one scrape counts the answers of all threads by endpoint and status', async () => {
  for (let n = 0; n < 100; n += 1) await get(server.base, '/v1/ip/8.8.8.8');
  for (let n = 0; n < 30; n += 1) await get(server.base, '/v1/ip/not-an-address');
  await get(server.base, '/v1/ip/77.77.77.77');
  await get(server.base, '/pulse/v1/ip/8.8.8.8');
  await get(server.base, '/v1/ip/8.8.8.8', {}, 'OPTIONS');
  await get(server.base, '/v1/me');
  await get(server.base, '/no/such/path');
  // The last answer is counted when it has left, which its client may see first.
  const body = await eventually(async () => {
    const scraped = await server.metrics();
    return (
      numberAt(scraped, 'pulse_requests_in_flight') === 0 &&
      scraped.includes('pulse_requests_total{endpoint="other",status="404"}') &&
      scraped
    );
  });
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="ip",status="200"}'), 100);
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="ip",status="400"}'), 30);
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="ip",status="404"}'), 1);
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="ip",status="204"}'), 1);
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="pulse",status="401"}'), 1);
  assert.equal(numberAt(body, 'pulse_requests_total{endpoint="me",status="401"}'), 1);
  assert.ok(numberAt(body, 'pulse_requests_total{endpoint="other",status="404"}') >= 1);
  covers('METRICS-CAUSES');
  const answered = Map.groupBy(
    body.matchAll(/^pulse_requests_total\{endpoint="(.*?)",.*\} (\d+)$/gm),
    ([, endpoint]) => endpoint!,
  );
  for (const [endpoint, lines] of answered) {
    const count = lines.reduce((sum, [, , one]) => sum + Number(one), 0);
    const timed = `{endpoint="${endpoint}"`;
    assert.equal(numberAt(body, `pulse_request_duration_seconds_count${timed}}`), count, 'every answer is timed');
    assert.equal(numberAt(body, `pulse_request_duration_seconds_bucket${timed},le="+Inf"}`), count);
  }
  assert.equal(numberAt(body, 'pulse_request_errors_total{code="invalid_ip"}'), 30);
  assert.equal(numberAt(body, 'pulse_request_errors_total{code="key_required"}'), 2);
});

test('the scrape says how old the last backup is, once there is one, and how many files may be open', async () => {
  covers('OBSERVE');
  assert.doesNotMatch(await server.metrics(), /^pulse_backup_age_seconds/m);
  const made = pulseOver(server.dataDir, ['backup', join(testFolder('backup'), 'first')]);
  assert.equal(made.status, 0, made.stderr);
  const body = await server.metrics();
  assert.ok(numberAt(body, 'pulse_backup_age_seconds') < 60);
  assert.ok(numberAt(body, 'process_open_fds') < numberAt(body, 'process_max_fds'));
});

test('ledger, images, evidence, sources and the process are in the scrape', async () => {
  const imported = pulseOver(
    server.dataDir,
    ['evidence', 'import', '-', '--source', 'sensor', '--risk-type', 'proxy'],
    '1.2.3.4\n5.5.5.5\n',
  );
  assert.equal(imported.status, 0, imported.stderr);
  const body = await eventually(async () => {
    const scraped = await server.metrics();
    return [0, 1].every((thread) => numberAt(scraped, `pulse_evidence_sequence{thread="${thread}"}`) === 1) && scraped;
  });
  for (const thread of [0, 1]) assert.ok(numberAt(body, `pulse_event_loop_utilization{thread="${thread}"}`) >= 0);
  assert.equal(numberAt(body, 'pulse_evidence_overlay_prefixes'), 2);
  assert.ok(numberAt(body, 'pulse_source_content_age_seconds{source="sensor"}') < 60);
  assert.equal(numberAt(body, 'pulse_source_overdue{source="sensor"}'), 0);
  assert.deepEqual(
    [
      numberAt(body, 'pulse_ready'),
      numberAt(body, 'pulse_degraded'),
      numberAt(body, 'pulse_store_up{store="evidence"}'),
    ],
    [1, 0, 1],
  );
  assert.ok(numberAt(body, 'pulse_image_age_seconds{image="geo"}') > 0);
  assert.match(body, /pulse_data_version\{risk="[^"]+\.1",geo="synthetic-1"\} 1/);
  assert.ok(numberAt(body, 'pulse_ledger_slots{table="clients",state="used"}') >= 1);
  assert.ok(numberAt(body, 'process_resident_memory_bytes') > 50e6);
  assert.ok(numberAt(body, 'process_cpu_seconds_total') > 0);
  assert.ok(numberAt(body, 'process_open_fds') > 5);
  assert.ok(numberAt(body, 'pulse_data_disk_free_bytes') <= numberAt(body, 'pulse_data_disk_size_bytes'));
  assert.match(body, /^pulse_build_info\{version="[\d.]+",runtime="v\d+\.\d+\.\d+"\} 1$/m);
  assert.equal(numberAt(body, 'pulse_store_up{store="records"}'), 1);
  const promtool = findProgram('promtool', 'prometheus');
  if (promtool !== undefined) {
    const { stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: body, encoding: 'utf8' });
    assert.equal(stdout + stderr, '', 'the rules of Prometheus for names and labels');
  }
  assert.doesNotMatch(body, /127\.0\.0\.1|1\.2\.3\.4/, 'no address of anybody');
});

test('a feed has the age of its content apart from that of its reading, and names readings in quarantine', async () => {
  const mirror = testFolder('mirror');
  const publish = (count: number, ...more: string[]): number | null => {
    writeFileSync(
      join(mirror, 'iplocate-all-proxies.txt'),
      Array.from({ length: count }, (_, n) => `45.1.${n >> 8}.${n & 255}\n`).join(''),
    );
    return pulseOver(server.dataDir, ['feeds', 'import', mirror, ...more]).status;
  };
  assert.equal(publish(1000, '--captured-at', new Date(Date.now() - 7_200_000).toISOString()), 0);
  const scrape = () => server.metrics();
  const source = '{source="iplocate-proxies"}';
  const good = await scrape();
  assert.ok(numberAt(good, `pulse_source_content_age_seconds${source}`) >= 7200);
  assert.ok(numberAt(good, `pulse_source_read_age_seconds${source}`) < 7200);
  assert.equal(numberAt(good, `pulse_source_quarantined${source}`), 0);
  assert.equal(publish(400), 1);
  assert.equal(numberAt(await scrape(), `pulse_source_quarantined${source}`), 1);
});

test('the port of the API has no metrics, for any client', async () => {
  const missing = await get(server.base, '/no/such/path');
  for (const headers of [{}, { Host: 'localhost' }, { 'X-Forwarded-For': '127.0.0.1' }] as Record<string, string>[])
    assert.deepEqual(await get(server.base, '/metrics', headers), missing);
});

test('a scrape names an address, localhost or the base URL: a name that was made to resolve here gets nothing', async () => {
  const ask = async (headers: Record<string, string>, path = '/metrics', method = 'GET'): Promise<number> =>
    (await get(`http://127.0.0.1:${server.metricsPort}`, path, headers, method)).status;
  await server.metrics();
  for (const host of [
    'evil.example',
    `evil.example:${server.metricsPort}`,
    'localhost.evil.example',
    'pulse.example.evil.example',
    'a b',
  ])
    assert.equal(await ask({ Host: host }), 403, host);
  for (const host of ['127.0.0.1', '[::1]:9464', 'localhost', '10.1.2.3:80', 'pulse.example', 'Pulse.Example:9464'])
    assert.equal(await ask({ Host: host }), 200, host);
  assert.equal(await ask({}, '/healthz'), 404);
  assert.equal(await ask({}, '/metrics', 'POST'), 405);
  assert.equal(await ask({}, '/metrics?x=1'), 200);
  const [twice] = await rawHttp(
    server.metricsPort,
    'GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
    { answers: 1 },
  );
  assert.equal(twice?.status, 400);
});

test('where the base URL is https, browsers are kept to it on every path', async () => {
  for (const path of '/ /v1/ip/8.8.8.8 /v1/me /console/api/session /oauth/authorize /favicon.svg /nothing'.split(' '))
    assert.equal((await fetch(server.base + path)).headers.get('strict-transport-security'), 'max-age=31536000', path);
  assert.doesNotMatch(server.output(), /travel unencrypted/);
});
