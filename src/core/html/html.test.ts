import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from './html.ts';

test('a value cannot end its element, and what a terminal or bidirectional text would obey is spelled out', () => {
  const value = '<b>"&\'\u001b]0;x\u0007\u009b2J\u202e\n登录';
  assert.equal(html`<p>${value}</p>`.html, '<p>&lt;b&gt;&quot;&amp;&#39;\\u001b]0;x\\u0007\\u009b2J\\u202e\n登录</p>');
});
