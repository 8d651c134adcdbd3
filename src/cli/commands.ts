import type { CommandTable } from './command-table.ts';

export const COMMANDS: CommandTable = {
  account: { summary: 'accounts, their plans and limits', load: () => import('./commands/account.ts') },
  backup: {
    summary: 'a copy of the whole installation, while it runs',
    load: () => import('./commands/backup.ts'),
  },
  beacon: {
    summary: 'beacons: exits of proxies, VPNs and pools that you pay for become evidence',
    load: () => import('./commands/beacon.ts'),
  },
  completion: {
    summary: 'completion of commands and options for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  data: {
    summary: 'geolocation and network data: list, build, update, verify; all data: export, import',
    load: () => import('./commands/data.ts'),
  },
  doctor: {
    summary: 'looks at data folder, settings, port, stores, machine, place data and feeds',
    load: () => import('./commands/doctor.ts'),
  },
  enrich: {
    summary: 'a log or table with fields of the verdict added to each line',
    load: () => import('./commands/enrich.ts'),
  },
  evidence: {
    summary: 'captures from your own systems: import, follow, retract, trust, sources',
    load: () => import('./commands/evidence.ts'),
  },
  export: {
    summary: 'verdicts of this moment as a file: mmdb, txt, csv, json, ndjson, nft, nginx-geo, haproxy-map, ipset',
    load: () => import('./commands/export.ts'),
  },
  feeds: {
    summary: 'public sources: list, refresh, import, accept what was refused',
    load: () => import('./commands/feeds.ts'),
  },
  key: { summary: 'API keys of an account', load: () => import('./commands/key.ts') },
  serve: { summary: 'answer requests until stopped', load: () => import('./commands/serve.ts') },
  override: {
    summary: 'corrections of verdicts: add, list, remove',
    load: () => import('./commands/override.ts'),
  },
  phone: {
    summary: 'phone numbers: lookup, from local data; libraries: import, generate',
    load: () => import('./commands/phone.ts'),
  },
  lookup: {
    summary: 'verdicts from local data, no server; `pulse ADDRESS` for short',
    load: () => import('./commands/lookup.ts'),
  },
  list: {
    summary: 'lists of addresses that firewalls fetch by URL: save, show, remove',
    load: () => import('./commands/list.ts'),
  },
  mcp: {
    summary: 'tools for an AI client on this machine, over stdio, from local data',
    load: () => import('./commands/mcp.ts'),
  },
  myip: { summary: 'verdicts about the public addresses of this machine', load: () => import('./commands/myip.ts') },
  restore: {
    summary: 'a backup back into an empty data folder',
    load: () => import('./commands/restore.ts'),
  },
  sensor: {
    summary: 'listen for scanners and password guessers, and report them',
    load: () => import('./commands/sensor.ts'),
  },
  secret: { summary: 'the deployment’s secret: status, rotate, forget', load: () => import('./commands/secret.ts') },
  summarize: {
    summary: 'who is behind the lines of a log, as text, JSON or one HTML file',
    load: () => import('./commands/summarize.ts'),
  },
  policy: { summary: 'what GET /v1/decide answers to a key', load: () => import('./commands/policy.ts') },
  trial: {
    summary: 'what a policy would have stopped in a log of yours',
    load: () => import('./commands/trial.ts'),
  },
  plan: { summary: 'plans and their limits', load: () => import('./commands/plan.ts') },
};
