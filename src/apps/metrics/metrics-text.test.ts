import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsText } from './metrics-text.ts';

test('gauges and counters are printed with their help, type, labels and Go numbers', () => {
  const text = new MetricsText({
    up: ['gauge', 'whether it\nanswers \\ not'],
    asked_total: ['counter', 'questions'],
  });
  text.add('asked_total', 2, { path: 'a"b\\c\nd', status: 200 });
  text.add('up', 1);
  text.add('asked_total', Number.POSITIVE_INFINITY);
  text.add('up', Number.NEGATIVE_INFINITY, { n: 1 });
  text.add('up', Number.NaN, { n: 2 });
  assert.equal(
    String(text),
    '# HELP up whether it\\nanswers \\\\ not\n# TYPE up gauge\nup 1\nup{n="1"} -Inf\nup{n="2"} NaN\n' +
      '# HELP asked_total questions\n# TYPE asked_total counter\nasked_total{path="a\\"b\\\\c\\nd",status="200"} 2\nasked_total +Inf\n',
  );
});

test('the buckets of a histogram are cumulative, end with +Inf, and agree with the count', () => {
  const text = new MetricsText({ took_seconds: ['histogram', 'time'] });
  text.addHistogram('took_seconds', { bounds: [0.1, 0.5], counts: [3, 0, 2], sum: 4.25 });
  assert.equal(
    String(text),
    '# HELP took_seconds time\n# TYPE took_seconds histogram\ntook_seconds_bucket{le="0.1"} 3\ntook_seconds_bucket{le="0.5"} 3\n' +
      'took_seconds_bucket{le="+Inf"} 5\ntook_seconds_sum 4.25\ntook_seconds_count 5\n',
  );
});

test('a metric without samples is left out', () => {
  assert.equal(String(new MetricsText({ empty: ['gauge', 'nothing yet'] })), '');
});
