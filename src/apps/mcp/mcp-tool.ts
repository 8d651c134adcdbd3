import type { Tool } from '@modelcontextprotocol/server';
import type { Said } from '../../core/texts/said.ts';
import type { Problem } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import type { LookupServices } from '../http/services.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolAnswer {
  readonly text: string;
  readonly degraded: boolean;
  /** Order on the address as a sentence: the last text of the result, because a notice is the second. */
  readonly order?: string;
}

export interface McpTool {
  readonly definition: Tool;
  /** Returns what the input schema does not say about arguments that do not go together. */
  readonly misuse?: (given: ToolArguments) => Said | undefined;
  /** Reads the arguments into the exchange. @returns the fault of the input */
  readonly read: (exchange: Exchange, given: ToolArguments) => Problem | undefined;
  /**
   * Charges the call. A fault of the input is thrown only after the minute has been counted.
   * @throws Problem
   */
  readonly charge: (exchange: Exchange, services: LookupServices, given: ToolArguments) => void | Promise<void>;
  /** Looks up the addresses after `read` and `charge`. @throws Problem not_found */
  readonly answer: (
    exchange: Exchange,
    services: LookupServices,
    given: ToolArguments,
  ) => ToolAnswer | Promise<ToolAnswer>;
}

/**
 * Advice on reading a verdict. Every tool with verdicts repeats it, because a client may show a model only
 * one description.
 */
export const READING =
  'Read evidence_state before risk.score: "none" means never seen: no information, not a statement of safety; "stale" is expired, ' +
  '"active" fresh evidence. The score (0 to 100) is freshness and strength of evidence, not a probability of harm. ' +
  'Look up again at decision time. A failed call is {"error":{"code",…}}; wait retry_after s.';

type Properties = NonNullable<Tool['inputSchema']['properties']>;

/** @param required names of the inputs that may not be left out */
export const defineTool = (
  name: string,
  title: string,
  description: string,
  inputs: Properties,
  required: readonly string[],
): Tool => ({
  ...{ name, title, description },
  inputSchema: { type: 'object', properties: inputs, required: [...required], additionalProperties: false },
  annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
});

export const REPORTED =
  'is now proxy, VPN, dial-up pool, hijacked relay, cloud egress, cloud phone, crawler, threat-listed, datacenter or mobile space, with freshness of evidence, network and place.';
