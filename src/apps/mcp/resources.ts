import type { Resource } from '@modelcontextprotocol/server';
import type { SourceStatus } from '../../contract/status.ts';
import { scoreTable } from '../../service/lookup/explain-lookup.ts';

export interface ResourcesOptions {
  /** The page about scores as Markdown, with the address of this service. */
  readonly scorePage: (baseUrl: string) => string;
  readonly sources: () => readonly SourceStatus[];
}

export interface McpResource {
  readonly definition: Resource & { readonly mimeType: string };
  readonly read: (baseUrl: string) => string;
}

/**
 * Returns what a model needs to judge verdicts: how a score is made, its parameters, and the state of the
 * sources.
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
