import type { Tool } from '@modelcontextprotocol/server';
import type { Said } from '../../core/texts/said.ts';
import type { Problem } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpServices } from '../http/services.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolAnswer {
  readonly text: string;
  readonly degraded: boolean;
}

/** A tool: its description for clients, and the steps of its call. */
export interface McpTool {
  readonly definition: Tool;
  /** Returns a violation of the input schema as a sentence. */
  readonly misuse: (given: ToolArguments) => Said | undefined;
  /** Reads the arguments into the exchange. @returns the fault of the input */
  readonly read: (exchange: Exchange, given: ToolArguments) => Problem | undefined;
  /**
   * Charges the call. A fault of the input is thrown only after the minute has been counted.
   * @throws Problem
   */
  readonly charge: (exchange: Exchange, services: HttpServices) => void | Promise<void>;
  /** Looks up the addresses after `read` and `charge`. @throws Problem not_found */
  readonly answer: (exchange: Exchange, services: HttpServices) => ToolAnswer | Promise<ToolAnswer>;
}

/**
 * Advice on reading a verdict. Every tool with verdicts repeats it, because a client may show a model only
 * one description.
 */
export const READING =
  'Read evidence_state before risk.score: "none" means never seen, which means no information and is not a statement of safety; "stale" means evidence existed ' +
  'and has expired; "active" means fresh evidence is being scored. The score (0 to 100) is freshness and strength of evidence, not a probability of harm. ' +
  'Verdicts are for the moment of computed_at: look up again at decision time instead of reusing one. Do not call it for private or reserved addresses. ' +
  'A failed call returns {"error":{"code",…}}; branch on the code, and honour retry_after (seconds).';

export const REPORTED =
  'is now seen as proxy, VPN, dial-up pool, hijacked relay, cloud egress, cloud phone, crawler, threat-listed, datacenter or mobile space, how fresh that evidence is, ' +
  'and its network and place.';
