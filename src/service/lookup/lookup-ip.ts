import type { IPRisk } from '../../contract/documents.ts';
import type { Signal } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { type KnownGoodSet, knownGoodCapOf } from '../../core/risk/known-good.ts';
import type { Override } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import type { NetworkSignals } from '../../core/risk/share-tier.ts';
import { levelOf, networkSignals, type Verdict, verdict } from '../../core/risk/verdict.ts';
import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { LookupView, NetworkFacts } from '../ports.ts';

export function lookupIp(view: LookupView, address: Address, at: UnixMs): string | undefined {
  const network = view.network(address);
  const observations = view.observations(address);
  const geo = view.geoJson(address);
  const overridden = hasOverride(view, address, at);
  const isUnseen = observations.length === 0 && !overridden;
  if (geo === undefined && network.json === undefined && isUnseen && !isNetworkKnown(network)) return undefined;
  const risk = isUnseen ? unseenRisk(network) : riskOf(view, address, at, observations, network);
  const text = `{"ip":"${formatAddress(address)}${untilTime(risk)}${isoTime(at)}${afterTime(network)}`;
  const tail = basicTail(view, overridden);
  return geo === undefined ? text + tail : `${text},"geo":${geo}${tail}`;
}

export const hasOverride = ({ protection }: Pick<LookupView, 'protection'>, address: Address, at: UnixMs): boolean =>
  protection?.override?.(address, at) !== undefined;

/**
 * Text of a document before and after its time, between address and place. The single lookup and batches
 * write the same two texts.
 */
export interface DocumentHead {
  readonly untilTime: string;
  readonly afterTime: string;
}

export const unseenBasicHead = (network: NetworkFacts): DocumentHead => ({
  untilTime: untilTime(unseenRisk(network)),
  afterTime: afterTime(network),
});

export const untilTime = (risk: string): string => `","risk":${risk},"computed_at":"`;

const afterTime = ({ json }: NetworkFacts): string => (json === undefined ? '"' : `","network":${json}`);

export const unseenRisk = (network: NetworkSignals): string =>
  `${riskJson(0, networkSignals(network))},"evidence_state":"none"`;

export const verdictOf = (
  view: LookupView,
  address: Address,
  at: UnixMs,
  observations: readonly Observation[] = view.observations(address),
  network: NetworkSignals = view.network(address),
): Verdict =>
  verdict(observations, network, address.family, at, SCORE_PARAMETERS, knownGoodCapOf(view.protection, address));

function riskOf(...asked: Required<Parameters<typeof verdictOf>>): string {
  const { score, signals, state } = verdictOf(...asked);
  return `${riskJson(score, signals)},"evidence_state":"${state}"`;
}

/** Returns the same answer as an object. It is parsed from the text, so that the two cannot differ. */
export function lookupIpDocument(view: LookupView, address: Address, at: UnixMs): IPRisk | undefined {
  const text = lookupIp(view, address, at);
  return text === undefined ? undefined : (JSON.parse(text) as IPRisk);
}

export const isNetworkKnown = (network: NetworkSignals): boolean =>
  network.hosting || network.mobile || network.crawler || network.relay;

/**
 * Risk objects as text, by set of signals and score. `verdict` shares its signal lists, so there are at most
 * 1,024 × 101.
 */
const riskTexts = new Map<readonly Signal[], string[]>();

export function riskJson(score: number, signals: readonly Signal[]): string {
  let texts = riskTexts.get(signals);
  if (texts === undefined) {
    texts = [];
    riskTexts.set(signals, texts);
  }
  let text = texts[score];
  if (text === undefined) {
    text = JSON.stringify({ score, level: levelOf(score), ...(signals.length > 0 && { signals }) });
    texts[score] = text;
  }
  return text;
}

const tails = new WeakMap<LookupView['dataVersion'], string>();

export function basicTail(view: LookupView, overridden = false): string {
  let meta = tails.get(view.dataVersion);
  if (meta === undefined) {
    meta = metaOf(view);
    tails.set(view.dataVersion, meta);
  }
  const tail = overridden ? metaOf(view, true) : meta;
  return view.degraded ? `,"degraded":true${tail}` : tail;
}

export const metaOf = ({ dataVersion: { risk, geo } }: LookupView, overridden = false): string =>
  `,"meta":${JSON.stringify({ data_version: { risk, geo }, ...(overridden && { override: true }) })}}`;

export interface AddressIdentity {
  readonly sharedBy?: Observation['sharedBy'];
  readonly knownGood?: KnownGoodSet | undefined;
  readonly override?: Override | undefined;
}

export function identifyAddress(
  view: LookupView,
  address: Address,
  at: UnixMs,
  observations: readonly Observation[],
): AddressIdentity {
  const cap = knownGoodCapOf(view.protection, address);
  const { sharedBy, override } = verdict(
    observations,
    view.network(address),
    address.family,
    at,
    SCORE_PARAMETERS,
    cap,
  );
  return { knownGood: view.protection?.knownGood(address, at), sharedBy, override };
}

export function countryOf(address: Address, view: Pick<LookupView, 'geoJson'> | undefined): string | undefined {
  const place = view?.geoJson(address);
  return place === undefined ? undefined : (JSON.parse(place) as { readonly country?: string }).country;
}
