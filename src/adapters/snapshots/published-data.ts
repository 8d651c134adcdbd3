import type { ClockSeen } from '../../core/clock-offset.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import type { DroppedRows } from '../../engine/evidence/evidence-row.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import {
  applyMessage,
  type DataMessage,
  NO_DATA,
  type SharedImage,
  storesAway,
} from '../../service/serving/data-state.ts';
import { openShared } from './published-images.ts';

interface ImageFacts {
  readonly dataVersion: string;
  readonly builtAt: number;
}

export class PublishedData {
  readonly #riskVersion: string | undefined;
  #state = NO_DATA;
  #geo: ImageFacts | undefined;
  #evidence: ImageFacts | undefined;
  #dropped: Readonly<DroppedRows> | undefined;
  readonly #onGeo: ((image: SharedImage) => void)[] = [];

  constructor(riskVersion?: string) {
    this.#riskVersion = riskVersion;
  }

  publish(message: DataMessage): void {
    const before = this.#state;
    this.#state = applyMessage(before, message);
    if (message.type === 'geo') {
      this.#geo = openGeo(openShared(message.image, 'geo')).meta;
      for (const listener of this.#onGeo) listener(message.image);
    } else if (message.type === 'evidence' && this.#state !== before) {
      this.#evidence = openEvidence(message.image).meta;
      this.#dropped = message.dropped;
    }
  }

  follow(listener: (image: SharedImage) => void): void {
    this.#onGeo.push(listener);
    if (this.#state.geo !== undefined) listener(this.#state.geo);
  }

  state():
    | { readonly degraded: boolean; readonly dataVersion: { readonly risk: string; readonly geo: string } }
    | undefined {
    if (this.#geo === undefined) return undefined;
    const { deltas, included, degradedBy, faults } = this.#state;
    const newest = deltas.findLast(({ sequence }) => sequence > included) ?? this.#evidence;
    const risk = this.#riskVersion ?? newest?.dataVersion ?? 'none';
    const degraded = degradedBy.length + storesAway(faults).length > 0;
    return { degraded, dataVersion: { risk, geo: this.#geo.dataVersion } };
  }

  built(): { readonly geo: number | undefined; readonly evidence: number | undefined } {
    return { geo: this.#geo?.builtAt, evidence: this.#evidence?.builtAt };
  }

  clocks(): readonly ClockSeen[] {
    return this.#state.clocks;
  }

  dropped(): Readonly<DroppedRows> | undefined {
    return this.#dropped;
  }
}
