/** Addresses that make a client on this computer add an MCP server, by the client's name. */
export function installLinks(account: string, open: string): Readonly<Record<string, string>> {
  const goose = {
    url: account,
    type: 'streamable_http',
    id: 'pulse',
    name: 'Pulse',
    description: 'IP risk',
    timeout: 300,
  };
  const vsCode = encodeURIComponent(JSON.stringify({ name: 'pulse', type: 'http', url: account }));
  return {
    Cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=pulse&config=${config(account)}`,
    'VS Code': `vscode:mcp/install?${vsCode}`,
    'VS Code Insiders': `vscode-insiders:mcp/install?${vsCode}`,
    Goose: `goose://extension?${Object.entries(goose)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')}`,
    // It signs in nowhere.
    'LM Studio': `lmstudio://add_mcp?name=pulse&config=${config(open)}`,
  };
}

const config = (url: string): string => encodeURIComponent(btoa(JSON.stringify({ url })));
