import { demoNotice } from '../adapters/data-folder/open-demo-folder.ts';
import type { Logger } from '../adapters/system/create-logger.ts';
import { CLEAR_LINE } from '../adapters/system/terminal-progress.ts';
import type { Config } from '../config.ts';
import { inLanguage, type Language, type Said, said, worded } from '../core/texts/said.ts';
import { NO_EVIDENCE_VERSION } from '../service/compile/compile-evidence.ts';
import { DEMO_COMMAND } from '../service/intake/record-demo.ts';
import type { Role } from './serve-options.ts';
import { baseUrlOf } from './threads/thread-messages.ts';

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
  readonly role: Role | undefined;
  readonly log: Logger;
}

/** A service is ready once it listens and has data, in either order; it says so then. */
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
    this.#say(this.#port, this.#versions);
    this.#reached.resolve();
  }

  #say(port: number, versions: Versions): void {
    const { config, startedAt, demo, language, role = 'all', log } = this.#options;
    const address = baseUrlOf({ ...config, port });
    const ms = Math.round(performance.now() - startedAt);
    const { isTTY } = process.stdout;
    // Journals hold output and log in one, so that what is kept is JSON.
    const tell = (one: Said): unknown =>
      isTTY || demo ? process.stdout.write(`pulse: ${inLanguage(language, one)}\n`) : log.info({}, worded(one));
    if (isTTY) process.stdout.write(CLEAR_LINE);
    tell(said('ready on {address} · geo {geo} · risk {risk} · {ms} ms', { address, ...versions, ms }));
    if (demo) process.stdout.write(`${demoNotice(address, language)}\n`);
    else if (role === 'all' && versions.risk === NO_EVIDENCE_VERSION)
      tell(
        said(
          'there is no evidence yet: every lookup says No record. If no source can be read, look around with invented evidence: {command}',
          { command: DEMO_COMMAND },
        ),
      );
  }
}
