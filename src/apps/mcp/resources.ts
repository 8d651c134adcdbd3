import type { Resource } from '@modelcontextprotocol/server';
import { ERRORS } from '../../contract/errors.ts';
import { riskTypeWords, signalWords } from '../../contract/risk.ts';
import type { SourceStatus } from '../../contract/status.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { scoreTable } from '../../service/lookup/explain-lookup.ts';
import { phoneTags } from '../../service/phone/phone-meta.ts';

export interface ResourcesOptions {
  /** The page about scores as Markdown, with the address of this service. */
  readonly scorePage: (baseUrl: string) => string;
  readonly sources: () => readonly SourceStatus[];
}

export interface McpResource {
  readonly definition: Resource & { readonly mimeType: string };
  readonly read: (baseUrl: string) => string;
}

function words(): object {
  const { meta: _, ...phone } = phoneTags('');
  return {
    signals: signalWords('en'),
    risk_types: riskTypeWords('en'),
    evidence_states:
      'none: never seen, no information, not a statement of safety. stale: seen and expired, so the score is 0. active: fresh evidence is being scored.',
    levels: 'By score. none: 0, does not mean safe. low: 1 to 29. medium: 30 to 69. high: 70 to 100.',
    freshness: 'Age of a capture. within_2h, within_4h, within_12h: at most so many hours. older: more than 12.',
    share_tiers: wordsEn.sheet.tiers,
    shared_by: wordsEn.sheet.sharedBy,
    usage_types: wordsEn.usageNames,
    order: 'allow: let it pass. challenge: ask for a proof, such as a captcha or second factor. deny: refuse it.',
    phone: {
      ...phone,
      miss_reason:
        'not_in_risk_db: no library has the number, does not mean safe. unqueryable_bad_length: no library can hold a number of its length.',
    },
    errors: Object.fromEntries(Object.entries(ERRORS).map(([code, { message }]) => [code, message])),
  };
}

/**
 * Returns what a model needs to judge verdicts: how a score is made, its parameters, the words of answers, and
 * the state of the sources.
 */
export const mcpResources = ({ scorePage, sources }: ResourcesOptions): readonly McpResource[] => [
  {
    definition: {
      uri: 'pulse://score',
      name: 'score',
      title: 'How a score is made',
      description: 'The contract of the score: states, formula, levels, sharing tiers, and a worked example.',
      mimeType: 'text/markdown',
    },
    read: scorePage,
  },
  {
    definition: {
      uri: 'pulse://score/parameters',
      name: 'score_parameters',
      title: 'Parameters of the score',
      description: 'Base, window, decay and persistence of each risk type: the document of GET /v1/score/parameters.',
      mimeType: 'application/json',
    },
    read: () => JSON.stringify(scoreTable()),
  },
  {
    definition: {
      uri: 'pulse://words',
      name: 'words',
      title: 'Codes and slugs',
      description:
        'What each signal, risk type, state, level, sharing tier, usage type, order, tag and error code means.',
      mimeType: 'application/json',
    },
    read: () => JSON.stringify(words()),
  },
  {
    definition: {
      uri: 'pulse://feeds',
      name: 'feeds',
      title: 'Feeds and their state',
      description:
        'The sources of evidence: what each feeds, rows, last success, state (current, late, off …), licence.',
      mimeType: 'application/json',
    },
    read: () => JSON.stringify({ sources: sources() }),
  },
];
