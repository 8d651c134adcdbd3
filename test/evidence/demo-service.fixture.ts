import type { PulseIPRisk } from '../../src/contract/documents.ts';
import type { DemoAddress } from '../../src/service/intake/demo-addresses.ts';

/** Promise of the words of a row about the professional document. */
export const PROMISES: readonly (readonly [words: RegExp, holds: (body: PulseIPRisk, row: DemoAddress) => boolean])[] =
  [
    [/\bhigh\b/, ({ risk }) => risk.level === 'high'],
    [/\bmedium\b/, ({ risk }) => risk.level === 'medium'],
    [/\blow\b/, ({ risk }) => risk.level === 'low'],
    [
      /\bnone\b/,
      ({ risk, evidence_state, evidence }) =>
        risk.level === 'none' && evidence_state === 'none' && evidence.length === 0,
    ],
    [
      /stale/,
      ({ risk, evidence_state, evidence }) =>
        risk.score === 0 && evidence_state === 'stale' && evidence.every(({ freshness }) => freshness === 'older'),
    ],
    [/\bT[0-3]\b/, ({ share_tier }, { shows }) => share_tier === /\bT[0-3]\b/.exec(shows)?.[0]],
    [/, pool\b/, ({ resource_pools }) => resource_pools?.length === 1],
    [/close to 100/, ({ risk, evidence }) => risk.score >= 97 && evidence.length === 4],
    [/decayed/, ({ risk }) => risk.score > 0 && risk.score < 70],
    [
      /three independent threat lists/,
      ({ risk, evidence }) => risk.score > 60 && evidence.length === 1 && evidence[0]?.risk_type === 'osint',
    ],
    [/minutes ago/, ({ evidence }) => evidence[0]?.freshness === 'within_2h' && Number(evidence[0].age_min) < 30],
    [/eight days running/, ({ evidence }) => Number(evidence[0]?.obs_days) >= 8],
    [/no signal slug/, ({ risk }) => !risk.signals?.some((signal) => signal !== 'hosting')],
    [/never vpn/, ({ risk }) => !risk.signals?.includes('vpn')],
    [
      /mobile carrier/,
      ({ risk, network }) => risk.signals?.includes('mobile') === true && network?.usage_type === 'MOB',
    ],
    [/crawler/, ({ risk }) => risk.signals?.includes('crawler') === true],
    [/hosting space/, ({ risk }) => risk.signals?.includes('hosting') === true],
    [/DNS service/, ({ network }) => network?.usage_type === 'DNS'],
    [/university/, ({ network }) => network?.usage_type === 'EDU'],
  ];
