/**
 * Sentences of the interactive parts of the documentation pages, and of the status page; the rest is in
 * docs/. Loaded with them, not with the start page.
 */
export const docsEn = {
  nav: {
    overview: 'Overview',
    examples: 'Examples',
    api: 'API',
    score: 'Score',
    quotas: 'Allowances',
    errors: 'Errors',
    sandbox: 'Sandbox',
    mcp: 'For AI agents',
    data: 'Data and licences',
  },
  guides: {
    groups: { use: 'Use', protect: 'Protect', operate: 'Operate', reference: 'Reference' },
    english: '',
  },
  search: {
    label: 'Search the documentation',
    placeholder: 'Search  ( / )',
    found: 'Results: {n}',
    none: 'Nothing found',
  },
  install: 'Add to {client}',
  example: { answer: 'Example answer' },
  calculator: {
    type: 'Type',
    age: 'Age in minutes',
    days: 'Observed days at capture',
    families: 'Listing families',
    prefix: 'Prefix length',
    isClaim: 'The source claims networks',
    isTor: 'Tor exit',
    add: 'Add a row',
    remove: 'Remove the row {type}',
    score: 'Score',
    curve: 'How it falls if nothing is captured any more',
    below: { 70: 'below 70', 30: 'below 30', 1: 'expired' },
  },
  api: {
    keyOptional: 'key optional',
    keyRequired: 'key required',
    parameters: 'Parameters',
    columns: {
      parameter: 'Parameter',
      place: 'In',
      meaning: 'Meaning',
      field: 'Field',
      type: 'Type',
      code: 'Code',
      status: 'Status',
    },
    places: { path: 'path', query: 'query', body: 'body' },
    required: '(required)',
    optional: '(may be absent)',
    fields: 'Fields of the answer ({n})',
    answer: 'Fields of the answer',
    errors: 'Errors ({n})',
  },
  data: {
    source: 'Source',
    gives: 'Gives',
    licence: 'Licence',
  },
  integrations: {
    title: 'Integrations',
    lead: 'Choose what you run, and paste the lines into it. They name this installation.',
    choose: 'I run',
    groups: {
      proxies: 'Reverse proxies',
      firewalls: 'Firewalls',
      events: 'Logs and events',
      agents: 'Programs and agents',
    },
    key: {
      lookup: 'Replace pk_… with your key.',
      bouncer: 'Replace pk_… with a key that may fetch decisions as a bouncer.',
      sender: 'Replace pk_… with a send-only key of an operator account.',
    },
    keyLink: 'Create one in the console',
    operator: 'or on the machine',
    list: 'a list, saved once on the machine or in the console',
    trusted: 'PULSE_TRUSTED_PROXIES of this service must name the proxy: it says who the client is.',
    more: 'How it works, and what was tested',
  },
  objection: {
    title: 'Object to a verdict',
    meaning: {
      title: 'What a verdict says',
      evidence:
        'A verdict says which traffic was seen from an address, and how fresh and strong that evidence is. It is about the address, not about you, and it is not a probability that you did anything wrong.',
      shared:
        'Many people may share an address, at home behind a carrier as well as in an office or a VPN, and providers pass addresses on. Evidence may come from an earlier user of the address, or from a device in your network that relays traffic without your knowing.',
      decisions:
        'A site that refused you because of a verdict made that decision itself. Ask that site for a review as well.',
    },
    lasting: {
      title: 'How long evidence lasts',
      text: 'Each kind of evidence weakens from the moment of the last capture and then stops counting by itself, unless the address is seen again. The longer time holds for addresses that were seen on 14 days. After that the address shows as expired, with score 0.',
    },
    how: {
      title: 'How to object',
      cause:
        'End the cause first, if there is one: an open proxy, an app that shares your line, an infected device. While it goes on, new evidence comes.',
      list: 'If a public list names the address, its publisher can remove it, and the next reading follows.',
      listLink: 'The lists in use',
      write:
        'Write to the operator of this deployment: the address, the time of the verdict, since when the address is yours, and why the evidence is wrong or over. The operator can correct the verdict at once, for a time, and withdraw evidence of own sensors.',
    },
    contact: {
      title: 'To whom',
      subject: 'Objection to the verdict about {ip}',
      yourAddress: 'an address',
      none: 'The operator of this deployment has not named an address for objections. Ask the site that led you here who runs it.',
    },
  },
  status: {
    title: 'Status',
    reload: 'Refresh',
    health: {
      good: { name: 'Everything is in order', text: 'Data is loaded and every expected source is current.' },
      unread: {
        name: 'Ready',
        text: 'Place and network data are loaded, and no public list yet: feeds are off, or it was just started.',
      },
      late: {
        name: 'Network lists are missing',
        text: 'Every expected source of evidence is current. Lists about networks never read or past their bounds: {n}.',
      },
      away: { name: 'A store is away', text: 'This node cannot use or write {names} now. Lookups are answered.' },
      degraded: { name: 'Degraded', text: 'Verdicts are computed without some of the evidence and say so.' },
      loading: { name: 'Loading', text: 'Data is being loaded; lookups answer not_ready until it is there.' },
    },
    riskData: 'Risk data',
    geoData: 'Geo data',
    history: 'History',
    phone: 'Phone numbers',
    started: 'Running since',
    clockOf: 'Clock of {store} less ours',
    on: 'on',
    off: 'off',
    details: 'Versions and settings',
    sources: 'Sources ({n})',
    columns: { source: 'Source', gives: 'Gives', rows: 'Rows', content: 'Content from', read: 'Read', state: 'State' },
    never: 'never',
    /** Text about the clock that dates a source's entries. */
    clock: {
      stated: 'stated by the list',
      server: 'by its server',
      commit: 'by its repository',
      live: 'answers for now',
      first_read: 'by our first reading',
    },
  },
};

type Sentences<T> = { readonly [K in keyof T]: T[K] extends string ? string : Sentences<T[K]> };
export type DocsMessages = Sentences<typeof docsEn>;
