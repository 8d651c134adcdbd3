/** An assistant vendor: what its agents call themselves, and the lists in which it publishes where they ask from. */
export interface AssistantFamily {
  readonly family: string;
  /** Product tokens of the user agent (RFC 9110 section 10.1.5), matched without regard to case and only as whole tokens. */
  readonly tokens: readonly string[];
  /** Ids of the vendor's own feeds in the catalogue. */
  readonly feeds: readonly string[];
  /** Id of the list in data/network-prefixes.json that holds the vendor's published ranges: what counts until one of the feeds has been read. */
  readonly shipped?: string;
}

/**
 * Families with an allowance of their own (decisions 5.7). Only vendors that publish their prefixes can be verified; an agent whose vendor publishes none is
 * an ordinary anonymous caller. Mirrors stand beside the vendor's list for machines that are fed from a folder,
 * and the tables that ship with the project for machines that were never fed.
 */
export const ASSISTANT_FAMILIES: readonly AssistantFamily[] = [
  {
    family: 'openai',
    tokens: ['GPTBot', 'ChatGPT-User', 'OAI-SearchBot'],
    feeds: ['openai-gptbot', 'openai-searchbot', 'openai-chatgpt-user', 'lord-alfred-openai-4'],
    shipped: 'crawler-openai',
  },
  { family: 'anthropic', tokens: ['ClaudeBot', 'Claude-User', 'Claude-SearchBot'], feeds: ['anthropic-bots'], shipped: 'crawler-anthropic' },
  {
    family: 'perplexity',
    tokens: ['PerplexityBot', 'Perplexity-User'],
    feeds: ['perplexitybot', 'perplexity-user', 'lord-alfred-perplexity-4'],
    shipped: 'crawler-perplexity',
  },
  {
    family: 'google',
    tokens: ['Google-Agent', 'Google-NotebookLM', 'Google-CloudVertexBot', 'GoogleOther'],
    feeds: ['googlebot', 'google-special', 'google-fetchers'],
  },
  { family: 'mistral', tokens: ['MistralAI-User'], feeds: ['mistral-user'], shipped: 'crawler-mistral' },
  { family: 'duckassist', tokens: ['DuckAssistBot'], feeds: ['duckassistbot', 'lord-alfred-duckassistbot-4'], shipped: 'crawler-duckduckgo' },
  { family: 'meta', tokens: ['meta-externalfetcher', 'meta-externalagent'], feeds: ['meta-crawlers'] },
  { family: 'apple', tokens: ['Applebot'], feeds: ['applebot'], shipped: 'crawler-apple' },
  { family: 'amazon', tokens: ['Amazonbot', 'Amzn-User', 'Amzn-SearchBot'], feeds: ['amazonbot'] },
];
