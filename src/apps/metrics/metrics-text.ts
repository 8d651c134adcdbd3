export type MetricLabels = Readonly<Record<string, string | number>>;

/** Adds one sample to a metric. */
export type AddSample = (value: number, labels?: MetricLabels) => void;

/**
 * Metrics in Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats): metrics in the order they were declared, the samples of
 * one metric together. A metric without samples is left out.
 */
export class MetricsText {
  static readonly CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #metrics = new Map<string, { readonly head: string; readonly samples: string[] }>();

  gauge(name: string, help: string): AddSample {
    return this.#declare(name, help, 'gauge');
  }

  /** @param name ends in `_total` */
  counter(name: string, help: string): AddSample {
    return this.#declare(name, help, 'counter');
  }

  /** @param counts observations of each bucket alone, the one above the last bound at the end */
  histogram(
    name: string,
    help: string,
    seen: { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number },
  ): void {
    const samples = this.#samples(name, help, 'histogram');
    let total = 0;
    for (const [bucket, count] of seen.counts.entries()) {
      total += count;
      samples.push(
        sampleLine(`${name}_bucket`, total, { le: numberText(seen.bounds[bucket] ?? Number.POSITIVE_INFINITY) }),
      );
    }
    samples.push(sampleLine(`${name}_sum`, seen.sum), sampleLine(`${name}_count`, total));
  }

  toString(): string {
    return [...this.#metrics.values()]
      .filter(({ samples }) => samples.length > 0)
      .map(({ head, samples }) => `${head}${samples.join('')}`)
      .join('');
  }

  #declare(name: string, help: string, type: 'gauge' | 'counter'): AddSample {
    const samples = this.#samples(name, help, type);
    return (value, labels) => void samples.push(sampleLine(name, value, labels));
  }

  #samples(name: string, help: string, type: string): string[] {
    if (this.#metrics.has(name)) throw new Error(`metric ${name} is declared twice`);
    const samples: string[] = [];
    this.#metrics.set(name, { head: `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`, samples });
    return samples;
  }
}

function sampleLine(name: string, value: number, labels: MetricLabels = {}): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escapeText(String(text)).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${numberText(value)}\n`;
}

const escapeText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** Go's spelling of the numbers that are not finite. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
