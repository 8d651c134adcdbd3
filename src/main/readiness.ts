import { demoNotice } from '../adapters/data-folder/open-demo-folder.ts';
import { CLEAR_LINE } from '../adapters/system/terminal-progress.ts';
import type { Config } from '../config.ts';
import { inLanguage, type Language, said } from '../core/texts/said.ts';
import { NO_EVIDENCE_VERSION } from '../service/compile/compile-evidence.ts';
import { DEMO_COMMAND } from '../service/intake/record-demo.ts';
import { baseUrlOf } from './threads/links.ts';

interface Versions {
  readonly risk: string;
  readonly geo: string;
}

interface ReadinessOptions {
  readonly config: Config;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
  readonly demo: boolean;
  readonly language: Language;
}

/** A service is ready once it listens and has data, in either order; the terminal is told then. */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #reached = Promise.withResolvers<void>();
  #port: number | undefined;
  #versions: Versions | undefined;
  #isSaid = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  get promise(): Promise<void> {
    return this.#reached.promise;
  }

  listening(port: number): void {
    this.#port = port;
    this.#announce();
  }

  seen(versions: Versions): void {
    this.#versions = versions;
    this.#announce();
  }

  #announce(): void {
    if (this.#isSaid || this.#port === undefined || this.#versions === undefined) return;
    this.#isSaid = true;
    if (process.stdout.isTTY) process.stdout.write(CLEAR_LINE);
    for (const line of this.#lines(this.#port, this.#versions)) process.stdout.write(`${line}\n`);
    this.#reached.resolve();
  }

  #lines(port: number, versions: Versions): readonly string[] {
    const { config, startedAt, demo, language } = this.#options;
    const address = baseUrlOf({ ...config, port });
    const ms = Math.round(performance.now() - startedAt);
    const ready = said('pulse: ready on {address} · geo {geo} · risk {risk} · {ms} ms', { address, ...versions, ms });
    const lines = [inLanguage(language, ready)];
    if (demo) lines.push(demoNotice(address, language));
    else if (versions.risk === NO_EVIDENCE_VERSION)
      lines.push(
        inLanguage(
          language,
          said(
            'pulse: no evidence is here yet, so every address is answered as never seen. Where no source can be read, try invented evidence: {command}',
            { command: DEMO_COMMAND },
          ),
        ),
      );
    return lines;
  }
}
