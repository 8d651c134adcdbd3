import type { SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { openShared, type SharedImage } from '../../adapters/snapshots/published-images.ts';
import { randomHashSeed } from '../../adapters/system/own-process.ts';
import { type Protection, withOverrides } from '../../core/risk/known-good.ts';
import { type Overrides, overridesOf } from '../../core/risk/override.ts';
import { createDataView } from '../../engine/create-data-view.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import type { LookupView } from '../../service/ports.ts';
import type { DataMessage, ThreadState } from '../../service/serving/data-state.ts';
import { EvidenceInTurns } from './evidence-in-turns.ts';

/** The lookup data of one thread. Each change creates a new view; requests keep the view they took. */
export class ThreadData {
  #geo: GeoImage | undefined;
  #shared: SharedImage | undefined;
  readonly #evidence: EvidenceInTurns;
  readonly #onImage: () => void;
  readonly #degradedBy: Set<string>;
  readonly #riskVersion: string | undefined;
  readonly #protection: Protection | undefined;
  #overrides: Overrides | undefined;
  #view: LookupView | undefined;

  constructor(state: ThreadState, protection?: Protection, riskVersion?: string, onImage: () => void = () => {}) {
    this.#onImage = onImage;
    this.#protection = protection;
    this.#overrides = overridesOf(state.overrides);
    this.#riskVersion = riskVersion;
    if (state.geo !== undefined) this.#openGeo(state.geo);
    const seed = randomHashSeed();
    const live = new LiveEvidence(openEvidence(state.evidence), seed);
    for (const delta of state.deltas) live.applyDelta(delta);
    this.#evidence = new EvidenceInTurns(live, (isImage) => this.#renew(isImage));
    this.#degradedBy = new Set(state.degradedBy);
    this.#renew(false);
  }

  view(): LookupView | undefined {
    return this.#view;
  }

  geo(): SharedGeo | undefined {
    const [geo, image] = [this.#geo, this.#shared];
    return geo && image && { image, version: `${geo.meta.dataVersion} ${geo.meta.builtAt}` };
  }

  asName(asn: number): string | undefined {
    return this.#geo?.asName(asn);
  }

  evidence(): { readonly sequence: number; readonly overlayPrefixes: number } {
    const { sequence, overlaySize } = this.#evidence.live;
    return { sequence, overlayPrefixes: overlaySize };
  }

  apply(message: DataMessage): void {
    switch (message.type) {
      case 'geo':
        this.#openGeo(message.image);
        // The first view has all the evidence that was sent before it.
        if (this.#view === undefined) this.#evidence.finish();
        this.#renew(true);
        break;
      case 'evidence':
      case 'delta':
        this.#evidence.take(message);
        break;
      case 'overrides':
        this.#overrides = overridesOf(message.overrides);
        this.#renew(false);
        break;
      case 'degraded':
        if (message.degraded) this.#degradedBy.add(message.by);
        else this.#degradedBy.delete(message.by);
        this.#renew(false);
    }
  }

  #openGeo(image: SharedImage): void {
    this.#geo = openGeo(openShared(image, 'geo'));
    this.#shared = image;
  }

  #renew(isImage: boolean): void {
    const view =
      this.#geo &&
      createDataView(
        this.#geo,
        this.#evidence.live,
        this.#degradedBy.size > 0,
        withOverrides(this.#protection, this.#overrides),
      );
    this.#view =
      view === undefined || this.#riskVersion === undefined
        ? view
        : { ...view, dataVersion: { ...view.dataVersion, risk: this.#riskVersion } };
    if (isImage) this.#onImage();
  }
}
