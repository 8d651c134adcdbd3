import { ownAddress } from '../../core/caller/client-address.ts';
import type { SignUpPolicy } from '../../service/sign-in/sign-in-accounts.ts';
import type { HttpPlugin } from '../http/step.ts';

/** GET /llms.txt: the services of this site, for programs that read (llmstxt.org format). */
export function llmsTxtRoute(baseUrl: string, signup: SignUpPolicy): HttpPlugin {
  const addressFor = ownAddress(baseUrl);
  return (app) => {
    app.get('/llms.txt', async ({ headers }, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .header('cache-control', 'public, max-age=3600')
        .send(llmsTxt(addressFor(headers.host), signup)),
    );
  };
}

function llmsTxt(baseUrl: string, signup: SignUpPolicy) {
  const account =
    signup === 'off'
      ? 'Accounts, which have a larger daily allowance, are made by the operator of this service.'
      : `- [Sign up](${baseUrl}/en/console/sign-up): a free account has a larger daily allowance`;
  return `# Pulse

> Reports for one public IPv4 or IPv6 address whether it is now proxy, VPN, dial-up pool, hijacked relay, cloud egress, cloud phone, crawler, threat-listed, datacenter or mobile space, how fresh that evidence is, and its network and district.

How to read a verdict:

- Read evidence_state first: "none" means never seen, which is not information and not a statement of safety; "stale" means evidence existed and has expired; "active" means fresh evidence is being scored.
- risk.score (0 to 100) is freshness and strength of evidence. It is not a probability that the address is hostile.
- A verdict is for the moment in computed_at. Ask again when you decide; do not reuse an old one.
- Errors are {"error":{"code","message"}}: branch on the code; wait retry_after seconds where it is given.

## For agents (Model Context Protocol, streamable HTTP)

- [${baseUrl}/mcp](${baseUrl}/mcp): tools ip_risk_lookup (one address) and ip_risk_batch (up to 100), no sign-in, counted per client address; an X-API-Key header raises the allowance
- [${baseUrl}/mcp/account](${baseUrl}/mcp/account): on an account's allowance, with ip_risk_explain, ip_risk_history, network_risk, phone_risk_lookup and my_quota besides; sign-in over OAuth in Chinese
- [${baseUrl}/en/mcp/account](${baseUrl}/en/mcp/account): the same, sign-in in English

Each has prompts (investigate an address, triage a log, write a case) and resources (how a score is made, its parameters, what codes and slugs mean, the feeds). On the machine of the service, \`pulse mcp\` serves the tools over stdio without a server.

## REST

- [GET ${baseUrl}/v1/ip/{ip}](${baseUrl}/v1/ip/1.1.1.1): verdict, network and place; no key needed
- POST ${baseUrl}/v1/ip/batch: {"ips": […]}, up to 1,000 addresses in one request
- GET ${baseUrl}/pulse/v1/ip/{ip}: with evidence and history; needs a key on the professional tier, sent in X-API-Key
- GET ${baseUrl}/v1/me: the key's allowance and what is left of it
- GET ${baseUrl}/sandbox: documentation addresses with fixed answers below ${baseUrl}/sandbox/v1/ip/{ip}, to test a program with; no key, no charge

## Docs

Each page of ${baseUrl}/en/docs is Markdown under its address with .md; ${baseUrl}/llms-full.txt is all of them.

- [Overview](${baseUrl}/en/docs/overview.md)
- [Agents](${baseUrl}/en/docs/mcp.md): tools, results, set-up for common clients
- [API](${baseUrl}/en/docs/api.md) and [openapi.json](${baseUrl}/openapi.json): endpoints and documents; [for agents](${baseUrl}/openapi.json?tag=Agents): eight of them
- [Examples](${baseUrl}/en/docs/examples.md): curl, TypeScript, Python, Go
- [Errors](${baseUrl}/en/docs/errors.md): every code
- [Quotas](${baseUrl}/en/docs/quotas.md): allowances and limits
- [Score](${baseUrl}/en/docs/score.md): the formula and its parameters
- [Clients](${baseUrl}/en/docs/clients.md): TypeScript client, middleware, set-up
- [Sandbox](${baseUrl}/en/docs/sandbox.md): fixed answers for tests
${account}
`;
}
