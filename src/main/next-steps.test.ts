import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFolder } from '../../test/support/test-folder.ts';
import { loadConfig } from '../config.ts';
import { unixMs } from '../core/units.ts';
import { nextSteps } from './next-steps.ts';

test('steps after a start are in the language of the person at the terminal, and lead to its pages', async (t) => {
  const config = loadConfig({ PULSE_DATA_DIR: testFolder('next-steps') });
  const printed: string[] = [];
  const write = t.mock.method(process.stdout, 'write', (text: string) => printed.push(text) > 0);
  for (const language of ['en', 'zh'] as const)
    await nextSteps(config, { language, address: 'http://x', at: unixMs(Date.now()) });
  write.mock.restore();
  const [english, chinese] = printed.filter((text) => text.startsWith('pulse: '));
  assert.match(english ?? '', /^pulse: next\n {2}1\. make your account[\s\S]* http:\/\/x\/en\/docs\n$/);
  assert.match(chinese ?? '', /^pulse: 接下来\n {2}1\. 创建你的管理员账户[\s\S]*阅读手册：http:\/\/x\/docs\n$/);
});
