export type MetricLabels = Readonly<Record<string, string | number>>;

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Writes Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats), in the
 * order of the table. A metric without samples is omitted.
 */
export class MetricsText<Name extends string> {
  readonly #metrics: Readonly<Record<Name, readonly [type: string, help: string]>>;
  readonly #samples = new Map<Name, string>();

  constructor(metrics: Readonly<Record<Name, readonly [type: string, help: string]>>) {
    this.#metrics = metrics;
  }

  add(name: Name, value: number, labels?: MetricLabels): void {
    this.#push(name, sampleLine(name, value, labels));
  }

  /** @param counts observations of each bucket alone, the one above the last bound at the end */
  addHistogram(
    name: Name,
    seen: { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number },
    labels: MetricLabels = {},
  ): void {
    let total = 0;
    for (const [bucket, count] of seen.counts.entries()) {
      total += count;
      const le = numberText(seen.bounds[bucket] ?? Number.POSITIVE_INFINITY);
      this.#push(name, sampleLine(`${name}_bucket`, total, { ...labels, le }));
    }
    this.#push(name, sampleLine(`${name}_sum`, seen.sum, labels) + sampleLine(`${name}_count`, total, labels));
  }

  toString(): string {
    const seen = (Object.keys(this.#metrics) as Name[]).filter((name) => this.#samples.has(name));
    return seen.map((name) => this.#headOf(name) + this.#samples.get(name)!).join('');
  }

  #headOf(name: Name): string {
    const [type, help] = this.#metrics[name];
    return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
  }

  #push(name: Name, lines: string): void {
    this.#samples.set(name, (this.#samples.get(name) ?? '') + lines);
  }
}

function sampleLine(name: string, value: number, labels: MetricLabels = {}): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escapeText(String(text)).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${numberText(value)}\n`;
}

const escapeText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
