export interface ToolCall {
  readonly url: string;
  readonly key: string;
  readonly name: string;
  readonly args: object;
}

/**
 * Calls a tool by one POST. @returns the document of its text, which is its structured content too, or the
 * error body
 */
export async function callTool<Body>({ url, key, name, args }: ToolCall): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as {
    result: { content: readonly { text: string }[]; structuredContent?: unknown; isError?: boolean };
  };
  const document = JSON.parse(result.content[0]!.text) as Body;
  if (result.isError !== true && JSON.stringify(result.structuredContent) !== JSON.stringify(document))
    throw new Error(`structured content of ${name} differs from its text`);
  return document;
}
