import { once } from 'node:events';
import type { Command } from 'commander';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { localPools } from '../../adapters/data-folder/local-pools.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { derivedBy } from '../../adapters/feeds/catalogue.ts';
import { readFeedNotes } from '../../adapters/feeds/open-feeds.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { openPhoneReader } from '../../adapters/phone-db/open-phone.ts';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { mcpResources } from '../../apps/mcp/resources.ts';
import { serveLocalTools } from '../../apps/mcp/serve-local-tools.ts';
import type { Config } from '../../config.ts';
import type { Language } from '../../core/texts/said.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { describeSources } from '../../main/app/describe-feeds.ts';
import { openDocs, scorePage } from '../../main/app/open-docs.ts';
import { localImages, openImages } from '../../main/bulk/local-enricher.ts';
import { baseUrlOf, linksOf } from '../../main/threads/thread-messages.ts';
import { evidenceVersion } from '../../service/compile/compile-evidence.ts';
import { TimelineLookup } from '../../service/lookup/describe-timeline.ts';
import { ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import type { HistoryStore, LookupView } from '../../service/ports.ts';
import { languageOption } from '../language/language-of.ts';
import { readerConfig } from '../reader-config.ts';

export function register(program: Command): void {
  program
    .command('mcp')
    .description('tools for an AI client that starts this command: from local data, no server, no key')
    .addOption(languageOption())
    .action(run);
}

/** Age at which data is read again, although the store has no new capture. */
const FRESH_MS = MINUTE_MS;

async function run({ lang }: { readonly lang: Language }): Promise<void> {
  const config = readerConfig({ hasPlaceOnly: false });
  const store = await openHistory(config);
  const secret = loadSecret(config);
  const phone = openPhoneReader(config, secret);
  try {
    const view = freshView(config, store);
    await view();
    const history = config.history ? store : undefined;
    const docs = openDocs();
    const handle = serveLocalTools({
      clock: systemClock,
      log: createLogger(config.logLevel),
      pulse: new PulseLookup({ history, ...localPools(config) }),
      explain: new ExplainLookup(history, derivedBy),
      timeline: new TimelineLookup(history, () => loadOverrides(config)),
      phone,
      links: linksOf(config),
      baseUrl: baseUrlOf(config),
      resources: mcpResources({
        scorePage: scorePage(docs),
        sources: () => describeSources(config, readFeedNotes(config), systemClock.now()),
      }),
      language: lang,
      view,
    });
    await once(process.stdin, 'close');
    await handle.close();
  } finally {
    await phone?.libraries.close();
    await store.close();
  }
}

/**
 * Returns a view with every capture that the store has when a call begins; overrides and missing sources are at
 * most a minute old. Calls that come together wait for one reading.
 */
function freshView(config: Config, store: HistoryStore): () => Promise<LookupView> {
  let held: { readonly view: LookupView; readonly version: string; readonly at: UnixMs } | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<LookupView> => {
    const [at, version] = [systemClock.now(), evidenceVersion(await store.head())];
    if (held === undefined || held.version !== version || at - held.at >= FRESH_MS)
      held = { view: openImages(await localImages(config, store, at)).view, version, at };
    return held.view;
  };
  return () => {
    const next = turn.then(read, read);
    turn = next;
    return next;
  };
}
