import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import { grown } from '../kit/grown.ts';
import type { UnixMs } from '../units.ts';
import type { CaptureBatch } from './observation.ts';
import { NO_PORT, protocolNumber, SensorColumnsBuilder, type SensorDetail } from './sensor-columns.ts';

export const SOURCE_TYPE = 255;

export interface CaptureDetail {
  readonly riskType?: RiskType;
  readonly capturedAt?: UnixMs;
  readonly pool?: string;
}

const POOLS_MAX = 65_535;

/**
 * Collects captures into columns that grow by doubling. `add` takes one capture; `append` takes its columns
 * without an object, for parsers of long lists.
 */
export class CaptureBatchBuilder {
  length = 0;
  #family: Uint8Array<ArrayBuffer>;
  #words: Uint32Array<ArrayBuffer>;
  #bits: Uint8Array<ArrayBuffer>;
  #type: Uint8Array<ArrayBuffer>;
  #capturedAt: Float64Array<ArrayBuffer>;
  #pool: Uint16Array<ArrayBuffer>;
  readonly #pools: string[] = [''];
  readonly #poolIds = new Map<string, number>();
  #sensor: SensorColumnsBuilder | undefined;

  constructor(capacity = 1024) {
    this.#family = new Uint8Array(capacity);
    this.#words = new Uint32Array(4 * capacity);
    this.#bits = new Uint8Array(capacity);
    this.#type = new Uint8Array(capacity);
    this.#capturedAt = new Float64Array(capacity);
    this.#pool = new Uint16Array(capacity);
  }

  /** @throws RangeError if the batch names more than 65,535 pools */
  add(prefix: Prefix, detail: CaptureDetail = {}): void {
    const type = detail.riskType === undefined ? SOURCE_TYPE : RISK_TYPES.indexOf(detail.riskType);
    const pool = this.poolId(detail.pool ?? '');
    if (pool === undefined) throw new RangeError(`a batch names at most ${POOLS_MAX} pools`);
    this.append(
      prefix.family,
      prefix.w0,
      prefix.w1,
      prefix.w2,
      prefix.w3,
      prefix.bits,
      type,
      detail.capturedAt ?? Number.NaN,
      pool,
    );
  }

  addSensor({ count = 1, port = NO_PORT, protocol, actor = '' }: SensorDetail): void {
    this.#sensor ??= new SensorColumnsBuilder();
    this.#sensor.set(this.length - 1, count, port, protocolNumber(protocol), actor);
  }

  get pools(): number {
    return this.#poolIds.size;
  }

  /**
   * Avoids an object for the common row of a plain list: an IPv4 prefix with the source's own type, pool and
   * time.
   */
  addIpv4(word: number, bits: number): void {
    this.append(4, word, 0, 0, 0, bits, SOURCE_TYPE, Number.NaN, 0);
  }

  build(): CaptureBatch {
    const { length } = this;
    return {
      length,
      family: this.#family.subarray(0, length),
      words: this.#words.subarray(0, 4 * length),
      bits: this.#bits.subarray(0, length),
      type: this.#type.subarray(0, length),
      capturedAt: this.#capturedAt.subarray(0, length),
      pool: this.#pool.subarray(0, length),
      pools: this.#pools,
      ...(this.#sensor === undefined ? {} : { sensor: this.#sensor.build(length) }),
    };
  }

  /**
   * @param type index of RISK_TYPES or SOURCE_TYPE @param capturedAt NaN for the run's time @param pool from
   * `poolId`
   */
  append(
    family: 4 | 6,
    w0: number,
    w1: number,
    w2: number,
    w3: number,
    bits: number,
    type: number,
    capturedAt: number,
    pool: number,
  ): void {
    const row = this.length;
    if (row === this.#family.length) this.#grow();
    this.#family[row] = family;
    const at = 4 * row;
    this.#words[at] = w0;
    this.#words[at + 1] = w1;
    this.#words[at + 2] = w2;
    this.#words[at + 3] = w3;
    this.#bits[row] = bits;
    this.#type[row] = type;
    this.#capturedAt[row] = capturedAt;
    this.#pool[row] = pool;
    this.length = row + 1;
  }

  /**
   * Returns the number of a pool's name; 0 for the empty name. @returns undefined if the name is new and the
   * batch has 65,535 already
   */
  poolId(pool: string): number | undefined {
    if (pool === '') return 0;
    const known = this.#poolIds.get(pool);
    if (known !== undefined) return known;
    const id = this.#pools.length;
    if (id > POOLS_MAX) return undefined;
    this.#pools.push(pool);
    this.#poolIds.set(pool, id);
    return id;
  }

  #grow(): void {
    this.#family = grown(this.#family);
    this.#words = grown(this.#words);
    this.#bits = grown(this.#bits);
    this.#type = grown(this.#type);
    this.#capturedAt = grown(this.#capturedAt);
    this.#pool = grown(this.#pool);
  }
}
