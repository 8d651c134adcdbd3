/** The right that the program's key needs; `none` where it needs no key. */
type KeyKind = 'lookup' | 'bouncer' | 'sender' | 'none';

export interface Integration {
  readonly id: string;
  /** The program's own name. */
  readonly name: string;
  readonly group: 'proxies' | 'firewalls' | 'events' | 'agents';
  readonly key: KeyKind;
  /** File that the lines belong to, or where they are typed. */
  readonly place: string;
  /** @param origin address of this installation, without a final slash */
  readonly lines: (origin: string) => string;
  readonly doc: string;
}

const LIST = '/docs/enforcement#lists-by-url';
const PROXIES = '/docs/enforcement#reverse-proxies';

/** Programs that act on verdicts, each with the lines that connect it. */
export const INTEGRATIONS: readonly Integration[] = [
  {
    ...{ id: 'nginx', name: 'nginx', group: 'proxies', key: 'lookup', place: 'server { … }', doc: PROXIES },
    lines: (origin) => `location / {
    auth_request /_pulse;
    proxy_pass http://127.0.0.1:3000;
}
location = /_pulse {
    internal;
    proxy_pass ${origin}/v1/decide;
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-API-Key "pk_…";
    proxy_set_header Authorization "";
}`,
  },
  {
    ...{ id: 'caddy', name: 'Caddy', group: 'proxies', key: 'lookup', place: 'Caddyfile', doc: PROXIES },
    lines: (origin) => `forward_auth ${origin} {
	uri /v1/decide
	header_up X-Forwarded-For {remote_host}
	header_up X-API-Key "pk_…"
	header_up -Authorization
	copy_headers X-Pulse-Action X-Pulse-Reason
}`,
  },
  {
    ...{ id: 'traefik', name: 'Traefik', group: 'proxies', key: 'lookup', place: 'http.middlewares', doc: PROXIES },
    lines: (origin) => `pulse:
  forwardAuth:
    address: ${origin}/v1/decide
    trustForwardHeader: false
    authResponseHeaders: [X-Pulse-Action, X-Pulse-Reason]
# PULSE_DECIDE_KEY_FILE=/etc/pulse/decide.key`,
  },
  {
    ...{ id: 'crowdsec', name: 'CrowdSec firewall bouncer', group: 'firewalls', key: 'bouncer' },
    ...{ place: '/etc/crowdsec/bouncers/crowdsec-firewall-bouncer.yaml', doc: '/docs/enforcement#bouncers' },
    lines: (origin) => `mode: nftables\napi_url: ${origin}/\napi_key: pk_…`,
  },
  {
    ...{ id: 'nftables', name: 'nftables', group: 'firewalls', key: 'lookup', place: 'cron', doc: LIST },
    lines: (origin) =>
      `curl -fsS -u pulse:pk_… --compressed -o /run/high.nft ${origin}/lists/high.nft && nft -f /run/high.nft\nnft 'add chain inet high in { type filter hook input priority -10; }'\nnft 'add rule inet high in ip saddr @high4 drop'`,
  },
  {
    ...{
      id: 'pfsense',
      name: 'pfSense, OPNsense',
      group: 'firewalls',
      key: 'lookup',
      place: 'URL Table (IPs)',
      doc: LIST,
    },
    lines: (origin) => `${origin.replace('://', '://pulse:pk_…@')}/lists/high.txt`,
  },
  {
    ...{
      id: 'appliance',
      name: 'FortiGate, Palo Alto, MikroTik',
      group: 'firewalls',
      key: 'lookup',
      place: 'URL',
      doc: LIST,
    },
    lines: (origin) => `${origin}/lists/high.txt?max=5000`,
  },
  {
    ...{ id: 'fail2ban', name: 'fail2ban', group: 'events', key: 'sender', place: 'action.d' },
    doc: '/docs/evidence-intake#reports-as-abuseipdbs-clients-send-them',
    lines: (origin) =>
      `sed 's|https://api.abuseipdb.com|${origin}|' /etc/fail2ban/action.d/abuseipdb.conf > /etc/fail2ban/action.d/pulse.conf\n# jail.local: action = pulse[abuseipdb_apikey="pk_…", abuseipdb_category="18,22"]`,
  },
  {
    ...{ id: 'wazuh', name: 'Wazuh', group: 'events', key: 'lookup', place: 'ossec.conf', doc: '/docs/clients' },
    lines: (origin) => `<integration>
  <name>custom-pulse</name>
  <hook_url>${origin}</hook_url>
  <api_key>pk_…</api_key>
  <level>5</level>
  <alert_format>json</alert_format>
</integration>`,
  },
  {
    ...{ id: 'clickhouse', name: 'ClickHouse', group: 'events', key: 'lookup', place: 'SQL', doc: LIST },
    lines: (origin) => `CREATE DICTIONARY pulse (prefix String, score UInt8 DEFAULT 0, level String DEFAULT 'none')
PRIMARY KEY prefix
SOURCE(HTTP(url '${origin}/lists/high.csv' format 'CSVWithNames' headers(header(name 'X-API-Key' value 'pk_…'))))
LAYOUT(IP_TRIE()) LIFETIME(MIN 300 MAX 600);`,
  },
  {
    ...{
      id: 'geoipupdate',
      name: 'Logstash, Elasticsearch, Graylog',
      group: 'events',
      key: 'lookup',
      place: 'GeoIP.conf',
    },
    doc: '/docs/export#files-for-updaters',
    lines: (origin) =>
      `AccountID 1\nLicenseKey pk_…\nEditionIDs Pulse-Anonymous-IP Pulse-City Pulse-ASN\nHost ${origin}`,
  },
  {
    ...{ id: 'mcp', name: 'MCP', group: 'agents', key: 'none', place: 'mcpServers', doc: '/docs/mcp' },
    lines: (origin) => `{ "mcpServers": { "pulse": { "url": "${origin}/mcp" } } }`,
  },
  {
    ...{ id: 'curl', name: 'curl', group: 'agents', key: 'lookup', place: 'sh', doc: '/docs/examples' },
    lines: (origin) => `curl -H 'X-API-Key: pk_…' ${origin}/v1/ip/8.8.8.8`,
  },
];
