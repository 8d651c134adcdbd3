/** Sentences of the interactive parts of the documentation pages, and of the status page; the rest is in docs/. Loaded with them, not with the start page. */
export const docsEn = {
  nav: {
    overview: 'Overview',
    api: 'API',
    score: 'Score',
    quotas: 'Allowances',
    errors: 'Errors',
    sandbox: 'Sandbox',
    mcp: 'For AI agents',
    data: 'Data and licences',
  },
  calculator: {
    type: 'Type',
    age: 'Age in minutes',
    days: 'Observed days at capture',
    families: 'Listing families',
    prefix: 'Prefix length',
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
  status: {
    title: 'Status',
    reload: 'Refresh',
    health: {
      good: { name: 'Everything is in order', text: 'Data is loaded and every expected source is current.' },
      unread: {
        name: 'Ready',
        text: 'Place and network data are loaded. This deployment has read no public list yet: feeds are off, or it was just started.',
      },
      late: {
        name: 'Network lists are late',
        text: 'Verdicts lack no evidence, but lists about networks are older than their bounds: {n}.',
      },
      degraded: { name: 'Degraded', text: 'Verdicts are computed without some of the evidence and say so.' },
      loading: { name: 'Loading', text: 'Data is being loaded; look-ups answer not_ready until it is there.' },
    },
    riskData: 'Risk data',
    geoData: 'Geo data',
    history: 'History',
    phone: 'Phone numbers',
    started: 'Running since',
    on: 'on',
    off: 'off',
    evidenceSources: 'Sources of evidence ({n})',
    networkSources: 'Network lists ({n})',
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
