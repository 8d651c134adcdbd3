import { ownAddress } from '../../core/caller/client-address.ts';
import type { HttpPlugin } from '../http/step.ts';
import { SERVER_INFO } from './tools.ts';

/** GET /server.json: this deployment as an entry of an MCP registry. */
export function serverJsonPlugin(baseUrl: string): HttpPlugin {
  const addressFor = ownAddress(baseUrl);
  return (app) => {
    app.get('/server.json', async ({ headers }, reply) =>
      reply.header('cache-control', 'public, max-age=3600').send(serverJson(addressFor(headers.host))),
    );
  };
}

/**
 * Returns an entry under the registry's schema of 2025-12-11: a reverse-DNS name (3 to 200 characters, one
 * slash), a description of at most 100 characters, and the server's address.
 * It names no organisation: the namespace is the deployment's own host, which a registry asks its owner to
 * prove.
 */
export function serverJson(baseUrl: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${namespaceOf(baseUrl)}/${SERVER_INFO.name}`,
    title: SERVER_INFO.title,
    description: 'Is this IP address now proxy, VPN, relay, cloud, crawler or threat-listed, and how fresh is that?',
    version: SERVER_INFO.version,
    websiteUrl: `${baseUrl}/en/docs/mcp`,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}/mcp`,
        headers: [
          { name: 'X-API-Key', description: 'Optional key; raises the allowance', isRequired: false, isSecret: true },
        ],
      },
      { type: 'streamable-http', url: `${baseUrl}/en/mcp/account` },
      { type: 'streamable-http', url: `${baseUrl}/mcp/account` },
    ],
  };
}

/** Reverses the host's labels. An IP address has no owner to prove it, so it becomes `localhost`. */
function namespaceOf(baseUrl: string) {
  const { hostname } = new URL(baseUrl);
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname) ? 'localhost' : hostname.split('.').reverse().join('.');
}
