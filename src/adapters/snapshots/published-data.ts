import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import type { DroppedRows } from '../../engine/evidence/row-names.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { applyMessage, type DataMessage, type DataState, NO_DATA } from '../../service/serving/data-state.ts';
import { openShared } from './shared-image.ts';

/** Metadata of an image. */
interface ImageFacts {
  readonly dataVersion: string;
  readonly builtAt: number;
}

/** State of the look-up data that the control thread has published: versions, ages and whether it is degraded, without the images themselves. */
export class PublishedData {
  readonly #riskVersion: string | undefined;
  #geo: ImageFacts | undefined;
  #evidence: ImageFacts | undefined;
  #included = 0;
  #sequence = 0;
  #risk: string | undefined;
  #dropped: Readonly<DroppedRows> | undefined;
  #health: DataState = NO_DATA;

  /** @param riskVersion stands in for the evidence's own version */
  constructor(riskVersion?: string) {
    this.#riskVersion = riskVersion;
  }

  publish(message: DataMessage): void {
    switch (message.type) {
      case 'geo':
        this.#geo = openGeo(openShared(message.image, 'geo')).meta;
        break;
      case 'evidence':
        this.#takeEvidence(message);
        break;
      case 'delta':
        if (message.delta.sequence > this.#sequence) this.#show(message.delta.sequence, message.delta.dataVersion);
        break;
      case 'degraded':
        this.#health = applyMessage(this.#health, message);
    }
  }

  /** Undefined until place and network are there. */
  state():
    | { readonly degraded: boolean; readonly dataVersion: { readonly risk: string; readonly geo: string } }
    | undefined {
    if (this.#geo === undefined) return undefined;
    const risk = this.#riskVersion ?? this.#risk ?? 'none';
    return { degraded: this.#health.degradedBy.length > 0, dataVersion: { risk, geo: this.#geo.dataVersion } };
  }

  /** When the images were compiled, Unix milliseconds. */
  built(): { readonly geo: number | undefined; readonly evidence: number | undefined } {
    return { geo: this.#geo?.builtAt, evidence: this.#evidence?.builtAt };
  }

  /** Rows and pools without room in the evidence image; undefined where that is not known. */
  dropped(): Readonly<DroppedRows> | undefined {
    return this.#dropped;
  }

  /** An image older than the one before is ignored, as every thread ignores it. */
  #takeEvidence({ image, included, restart, dropped }: Extract<DataMessage, { type: 'evidence' }>): void {
    if (!restart && included < this.#included) return;
    this.#evidence = openEvidence(image).meta;
    this.#included = included;
    this.#dropped = dropped;
    if (restart || included >= this.#sequence) this.#show(included, this.#evidence.dataVersion);
  }

  #show(sequence: number, risk: string): void {
    this.#sequence = sequence;
    this.#risk = risk;
  }
}
