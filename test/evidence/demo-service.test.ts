/**
 * `pulse serve --demo` as a newcomer starts it: every row of its table keeps its promise over HTTP, and
 * nothing mixes with real data.
 */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDemoFolder } from '../../src/adapters/data-folder/open-demo-folder.ts';
import { loadConfig } from '../../src/config.ts';
import type { PulseIPRisk } from '../../src/contract/documents.ts';
import { DEMO_ADDRESSES } from '../../src/service/intake/demo-addresses.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { PROMISES } from './demo-service.fixture.ts';

/** A command that must be refused. */
function refusedWith(dataDir: string, ...args: readonly string[]): string {
  const run = (args[0] === 'serve' ? pulseProcess : pulseCommand)(args, {
    env: { PULSE_DATA_DIR: dataDir, PULSE_PORT: '0' },
    input: '8.8.8.8\n',
  });
  assert.equal(run.status, 1, `${args.join(' ')}: ${run.stdout}${run.stderr}`);
  return run.stderr;
}

describe('the demonstration, served', () => {
  let server: ServeProcess;
  let key: string;
  before(async () => {
    const dataDir = testFolder('demo');
    const demo = openDemoFolder(loadConfig({ PULSE_DATA_DIR: dataDir }, 1)).dataDir;
    // The rows bring their own networks: the whole world is not built for them.
    mkdirSync(join(demo, 'layers'));
    writeFileSync(join(demo, 'layers', 'layers.json'), '{"off": ["dbip", "ip2region", "asn"]}');
    server = await serveProcess({ dataDir, geo: false, args: ['--demo'] });
    key = createKey(join(server.dataDir, 'demo'), 'guest', ['--plan', 'enterprise', '--dpa']).key;
    await eventually(async () => (await fetch(`${server.base}/readyz`)).status === 200, {
      withinMs: 120_000,
      everyMs: 200,
      hint: server.output,
    });
  });
  after(() => server.dispose());

  const ask = async (path: string): Promise<PulseIPRisk> => {
    const response = await fetch(server.base + path, { headers: { 'X-API-Key': key } });
    assert.equal(response.status, 200, path);
    return (await response.json()) as PulseIPRisk;
  };

  test('every row keeps its promise, on the professional endpoint and, without evidence, on the basic one', async () => {
    for (const row of DEMO_ADDRESSES) {
      const body = await ask(`/pulse/v1/ip/${row.look}`);
      const promises = PROMISES.filter(([words]) => words.test(row.shows));
      assert.ok(promises.length > 0, `nothing checks "${row.shows}"`);
      for (const [words, holds] of promises)
        assert.ok(holds(body, row), `${row.look} promises ${words}: ${JSON.stringify(body)}`);
      assert.deepEqual(
        new Set(body.evidence.map(({ risk_type }) => risk_type)),
        new Set(row.sightings.map(({ riskType }) => riskType)),
        row.look,
      );
      const basic = await ask(`/v1/ip/${row.look}`);
      assert.deepEqual([basic.risk, basic.evidence_state], [body.risk, body.evidence_state], row.look);
      assert.ok(!('evidence' in basic));
    }
  });

  test('it says that it is a demonstration, in every answer and on the terminal', async () => {
    const body = (await ask('/v1/ip/119.123.64.0')) as PulseIPRisk & {
      readonly meta: { readonly data_version: { readonly risk: string } };
    };
    assert.equal(body.meta.data_version.risk, 'demo');
    assert.match(server.output(), /DEMONSTRATION: every piece of evidence here is invented/);
    for (const { look } of DEMO_ADDRESSES) assert.ok(server.output().includes(look), look);
  });

  test('its past can be asked, from when its evidence begins', async () => {
    const at = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const past = await ask(`/pulse/v1/ip/119.123.64.0?at=${at}`);
    assert.deepEqual([past.computed_at, past.evidence_state], [at, 'active']);
  });

  test('real evidence cannot get into its folder, nor can it be served as if it were real', () => {
    const folder = join(server.dataDir, 'demo');
    assert.match(refusedWith(folder, 'serve'), /demonstration/);
    assert.match(
      refusedWith(folder, 'evidence', 'import', '-', '--source', 'x', '--risk-type', 'proxy'),
      /demonstration/,
    );
    assert.match(refusedWith(folder, 'feeds', 'import', folder), /demonstration/);
  });
});
