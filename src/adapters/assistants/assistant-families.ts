export interface AssistantFamily {
  readonly family: string;
  /** Product tokens of the user agent (RFC 9110 section 10.1.5) match in any case, and only as whole tokens. */
  readonly tokens: readonly string[];
  /**
   * Ids of the vendor's own feeds in the catalogue, and of mirrors of them. Until a feed was read, the list
   * of data/network-prefixes.json with the same id replaces it, whatever other feeds of the family were read.
   */
  readonly feeds: readonly string[];
  /**
   * The vendor states these ranges in a manual that no feed can read, so lists with these ids in
   * data/network-prefixes.json always count.
   */
  readonly stated?: readonly string[];
}

/**
 * Families with an allowance of their own (decisions 5.7). Only vendors that publish their prefixes can be
 * verified; an agent of another vendor is an ordinary anonymous caller. docs/assistants.md is tested against
 * this table.
 */
export const ASSISTANT_FAMILIES: readonly AssistantFamily[] = [
  {
    family: 'openai',
    tokens: ['GPTBot', 'ChatGPT-User', 'OAI-SearchBot'],
    feeds: ['openai-gptbot', 'openai-searchbot', 'openai-chatgpt-user', 'lord-alfred-openai-4'],
  },
  {
    family: 'anthropic',
    tokens: ['ClaudeBot', 'Claude-User', 'Claude-SearchBot'],
    feeds: ['anthropic-bots'],
    stated: ['anthropic-egress'],
  },
  {
    family: 'perplexity',
    tokens: ['PerplexityBot', 'Perplexity-User'],
    feeds: ['perplexitybot', 'perplexity-user', 'lord-alfred-perplexity-4'],
  },
  {
    family: 'google',
    // User-triggered fetchers run other people's code (user-triggered-fetchers.json: Apps Script and the
    // like), so they verify nothing.
    tokens: ['Google-Agent', 'Google-GeminiNotebook', 'Google-NotebookLM', 'Google-CloudVertexBot', 'GoogleOther'],
    feeds: ['googlebot', 'google-special', 'google-fetchers', 'google-agents'],
  },
  { family: 'mistral', tokens: ['MistralAI-User'], feeds: ['mistral-user'] },
  { family: 'duckassist', tokens: ['DuckAssistBot'], feeds: ['duckassistbot', 'lord-alfred-duckassistbot-4'] },
  { family: 'meta', tokens: ['meta-externalfetcher', 'meta-externalagent'], feeds: ['meta-crawlers'] },
  { family: 'apple', tokens: ['Applebot'], feeds: ['applebot'] },
  {
    family: 'amazon',
    tokens: ['Amazonbot', 'Amzn-User', 'Amzn-SearchBot'],
    feeds: ['amazonbot', 'amzn-user', 'amzn-searchbot'],
  },
];
