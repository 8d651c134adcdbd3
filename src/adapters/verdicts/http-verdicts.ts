import { setTimeout } from 'node:timers/promises';
import { IP_BATCH_MAX } from '../../contract/ip-batch.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { backOff } from '../../core/kit/back-off.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import type { VerdictSource } from '../../service/lookup/verdict-source.ts';
import { callService, type ServiceAnswer } from '../http-client/call-service.ts';

export interface HttpVerdictsOptions {
  readonly url: string;
  /** Never logged; undefined asks without a key. */
  readonly key: string | undefined;
  readonly professional: boolean;
  /** The moment asked about, RFC 3339; undefined means now. */
  readonly at: string | undefined;
  readonly signal: AbortSignal;
  readonly onWait: (wait: Said) => void;
}

const PAUSE_FIRST_MS = 1000;
const PAUSE_MAX_MS = 30_000;
/** The work ends after this many attempts without an answer, about ten minutes. */
const ATTEMPTS_MAX = 24;
/** A server that asks for a longer wait has no allowance left today, so the work ends with its answer. */
const WAIT_MAX_MS = 15 * 60_000;
const TOGETHER = 4;
const FREE = '/v1/ip/batch';
const PROFESSIONAL = '/pulse/v1/ip/batch';

interface Answer {
  readonly results: readonly object[];
}

/**
 * Verdicts of a server, from its batch endpoints: the professional one where the key allows it. Waits as the
 * server asks, and continues after network faults.
 */
export class HttpVerdicts implements VerdictSource {
  readonly #options: HttpVerdictsOptions;
  #path: string;
  #batch = IP_BATCH_MAX;
  degraded = false;

  constructor(options: HttpVerdictsOptions) {
    this.#options = options;
    this.#path = options.key === undefined ? FREE : PROFESSIONAL;
  }

  async verdictsOf(addresses: readonly Address[]): Promise<readonly object[]> {
    const ips = addresses.map(formatAddress);
    const documents: object[] = [];
    while (documents.length < ips.length) {
      const from = documents.length;
      const size = this.#batch;
      const batches = Array.from({ length: TOGETHER }, (_, i) =>
        ips.slice(from + i * size, from + (i + 1) * size),
      ).filter(({ length }) => length > 0);
      // The first batch runs alone: it finds out the rights of the key and the size of a batch.
      const [first, ...others] = batches;
      documents.push(...(await this.#ask(first!)));
      if (size !== this.#batch) continue;
      for (const [i, answers] of (await Promise.all(others.map((batch) => this.#ask(batch)))).entries()) {
        documents.push(...answers);
        if (answers.length < others[i]!.length) break;
      }
    }
    return documents;
  }

  async #ask(ips: readonly string[]): Promise<readonly object[]> {
    let asked = ips;
    for (let attempt = 0; ; attempt++) {
      const path = this.#path;
      const { status, body, retryAfterMs, reason } = await this.#post(path, asked);
      if (status === 200 && body.results?.length === asked.length) return body.results;
      const code = body.error?.code;
      if (status === 403 && code === 'professional_required' && this.#mayBeFree(path)) continue;
      if (code === 'batch_over_rate_limit' && asked.length > 1) {
        this.#batch = Math.max(1, Math.floor(asked.length / 2));
        asked = asked.slice(0, this.#batch);
        continue;
      }
      const waitMs = retryAfterMs ?? backOff(attempt + 1, { firstMs: PAUSE_FIRST_MS, maxMs: PAUSE_MAX_MS });
      const isPassing = status === 0 || status >= 500 || status === 429;
      const message = body.error?.message === undefined ? '' : `: ${body.error.message}`;
      if (!isPassing || waitMs > WAIT_MAX_MS || attempt >= ATTEMPTS_MAX)
        throw fault('the server refused: {reason}{message}', { reason, message });
      this.#options.onWait(
        said('the server asks to wait {seconds} s ({reason})', { seconds: Math.ceil(waitMs / 1000), reason }),
      );
      await setTimeout(waitMs, undefined, { signal: this.#options.signal });
    }
  }

  /** Switches to the basic endpoint unless the professional one is required. @returns whether to ask again */
  #mayBeFree(path: string): boolean {
    if (this.#options.professional) return false;
    this.#path = FREE;
    return path !== FREE;
  }

  async #post(path: string, ips: readonly string[]): Promise<ServiceAnswer<Answer>> {
    const { url, key, at, signal } = this.#options;
    return await callService<Answer>({
      url: `${url}${path}`,
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ips, ...(at !== undefined && { at }) }),
      signal,
      onHead: (headers) => {
        if (headers.get('x-pulse-degraded') === '1') this.degraded = true;
      },
    });
  }
}
