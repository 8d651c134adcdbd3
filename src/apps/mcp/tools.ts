import { VERSION } from '../../config.ts';
import { queryValue } from '../../core/caller/query.ts';
import { BATCH_TOOL } from './batch-tool.ts';
import { LOOKUP_TOOL } from './lookup-tool.ts';
import type { McpTool } from './mcp-tool.ts';

/** Tools of every endpoint, in the order that clients see. */
export const LOOKUP_TOOLS: readonly McpTool[] = [LOOKUP_TOOL, BATCH_TOOL];

const NAMES = /^(ip_risk_(lookup|batch|explain|history)|network_risk|phone_risk_lookup|my_quota)$/;

/**
 * Returns `tools=…` as it was asked, if it names tools: it is part of the resource that a client compares
 * (RFC 9728 3.1 and 3.3).
 */
export function toolsAsked(query: string): string {
  const asked = query.split('&').find((part) => /^tools=[\w,%]+$/.test(part)) ?? '';
  const names = (queryValue(asked, 'tools') ?? '').split(',').filter((name) => name !== '');
  return names.length > 0 && names.every((name) => NAMES.test(name)) ? asked : '';
}

/** Protocol revision with an envelope around each request, those without one, and all, newest first (decisions 7.1). */
export const NEWEST = '2026-07-28';
export const OLD_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const REVISIONS: readonly string[] = [NEWEST, ...OLD_REVISIONS];

export const INSTRUCTIONS =
  'Use ip_risk_lookup when a decision depends on what an IP address is right now, and ip_risk_batch for several. The text block is one JSON document. ' +
  'evidence_state "none" means no information; never report it as safe. Resources hold the score’s contract, its parameters, the meaning of codes and slugs, and the state of the feeds. When a call fails with a 429-type code, tell the user the next_step given there.';

export const SERVER_INFO = { name: 'pulse', title: 'Pulse IP risk', version: VERSION } as const;

/** Name, icons and website that clients show. @param baseUrl address under which the client asked */
export const serverInfoAt = (baseUrl: string) => ({
  ...SERVER_INFO,
  websiteUrl: `${baseUrl}/en/docs/mcp`,
  icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
});
