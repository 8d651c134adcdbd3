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

/** Applying a row takes less than a microsecond, so a lookup waits about a millisecond for these. */
const ROWS_A_TURN = 2000;

type EvidenceMessage = Extract<DataMessage, { readonly type: 'evidence' | 'delta' }>;

/** Pieces are so small that requests are answered between them. */
export class EvidenceInTurns {
  readonly #changed: (isImage: boolean) => void;
  readonly #waiting: EvidenceMessage[] = [];
  #work: Generator<void> | undefined;
  #live: LiveEvidence;
  #rows = 0;

  /** @param changed called when a whole message has become visible; `isImage` if it was another image */
  constructor(live: LiveEvidence, changed: (isImage: boolean) => void) {
    this.#live = live;
    this.#changed = changed;
  }

  get live(): LiveEvidence {
    return this.#live;
  }

  take(message: EvidenceMessage): void {
    this.#waiting.push(message);
    if (this.#work !== undefined) return;
    this.#work = this.#inTurns();
    this.#turn(this.#work);
  }

  finish(): void {
    for (const work = this.#work; work !== undefined; ) {
      this.#rows = 0;
      if (work.next().done === true) break;
    }
    this.#work = undefined;
  }

  #turn(work: Generator<void>): void {
    if (work !== this.#work) return;
    this.#rows = 0;
    if (work.next().done === true) this.#work = undefined;
    else setImmediate(() => this.#turn(work));
  }

  *#inTurns(): Generator<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      if (message.type === 'delta') yield* this.#apply(this.#live, [message.delta]);
      else yield* this.#replace(message);
      this.#changed(message.type === 'evidence');
    }
  }

  /** The previous view serves until the one over the new image contains the same changes. */
  *#replace({ image, restart }: Extract<EvidenceMessage, { readonly type: 'evidence' }>): Generator<void> {
    const before = this.#live;
    const next = before.onImage(openEvidence(image), restart);
    if (next === undefined) return;
    if (!restart) yield* this.#apply(next, before.deltas);
    this.#live = next;
  }

  *#apply(live: LiveEvidence, deltas: LiveEvidence['deltas']): Generator<void> {
    for (const delta of deltas) {
      if (delta.sequence <= live.sequence) continue;
      const apply = live.beginDelta(delta);
      for (let left = delta.length; ; ) {
        const rows = ROWS_A_TURN - this.#rows;
        this.#rows += Math.min(rows, left);
        left -= rows;
        if (apply(rows)) break;
        yield;
      }
      if (this.#rows >= ROWS_A_TURN) yield;
    }
  }
}

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
