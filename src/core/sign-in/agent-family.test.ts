import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentFamily } from './agent-family.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a user agent becomes the family of its browser and system, and nothing else of it is kept', () => {
  const families: readonly (readonly [string, string])[] = [
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Edge, Windows',
    ],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome, macOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox, Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
      'Safari, iOS',
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; V2309A) ${WEBKIT} Chrome/116.0 Safari/537.36 MicroMessenger/8.0`,
      'WeChat, Android',
    ],
    ['curl/8.5.0', 'curl'],
    ['', ''],
    ['<script>alert(1)</script>', ''],
  ];
  for (const [agent, family] of families) assert.equal(agentFamily(agent), family);
});
