/** JSON-RPC 2.0 error objects we write ourselves, before or around the protocol library. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const;

/** Headers of the transport that the protocol reads. */
export const TRANSPORT_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export type RpcId = string | number | null;

/** A response: either `result` or `error`. */
export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A call that is refused as a JSON-RPC error and not as a result. */
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

/** Id and method of a message as far as they are of the right kind. MCP ids are strings or numbers (never null), so null here means: none to echo. */
export function readMessage(message: object): RpcMessage {
  const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
  };
}
