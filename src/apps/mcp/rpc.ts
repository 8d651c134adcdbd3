export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const;

/** Transport headers that the protocol reads. */
export const TRANSPORT_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export type RpcId = string | number | null;

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Refuses a call with a JSON-RPC error instead of a result. */
export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const rpcError = (id: RpcId, code: number, message: string, data?: unknown): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

export interface RpcMessage {
  readonly id: RpcId | undefined;
  readonly method: string | undefined;
}

/** Returns whether an id can be echoed exactly: a number above 2^53 was rounded while it was read. */
export const isRpcId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

/**
 * Returns id and method if they have a valid type. MCP ids are strings or whole numbers, so any other id is not
 * echoed.
 */
export function readMessage(message: object): RpcMessage {
  const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
  return {
    id: isRpcId(id) ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
  };
}
