import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ImageKind } from '../../engine/image.ts';
import type { Pointer, PointerFormat } from '../system/current-files.ts';

/** A published file and the SHA-256 of its bytes, hexadecimal: its own checksums find damage, and an author of false files can give them any value. */
export interface PublishedFile {
  readonly file: string;
  readonly sha256: string;
}

/** Secret and sequence by which the deployment's nodes know each other's publications. */
export interface SnapshotKeys {
  /** The key that seals. */
  readonly current: Uint8Array;
  /** Keys of before that are still accepted. */
  readonly former: readonly Uint8Array[];
}

/** Why a pointer is not followed: its author does not know the deployment's secret, or it is an old one that was put back. */
export class SealError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SealError';
  }
}

interface Seal {
  readonly sequence: number;
  readonly published_at: string;
  readonly current_sha256: string;
  readonly previous_sha256?: string;
  readonly mac: string;
}

interface SealedText {
  readonly current: string;
  readonly previous?: string;
  readonly seal: Seal;
}

const DIGEST = /^[0-9a-f]{64}$/;

const isImageName = (name: unknown): name is string =>
  typeof name === 'string' && /^[a-z]+-[0-9a-f]{16}\.img$/.test(name);

/**
 * `current.json` of published images: names and a seal over them. The seal is an HMAC-SHA256 over kind, sequence, time, and name
 * and SHA-256 of both files. Sequences only grow, from publication to publication and over restarts: they are the publisher's time in milliseconds, or one more
 * than the highest it has read or written where its clock has gone back.
 */
export class SealedPointer implements PointerFormat<PublishedFile> {
  readonly name = 'current.json';
  readonly #kind: ImageKind;
  readonly #keys: SnapshotKeys;
  /** Fault of the pointer that was read last. */
  fault: SealError | undefined;
  /** Of the pointer that was read last; 0 of one without a right seal. */
  sequence = 0;
  /** The highest that was read or printed here. */
  highest = 0;
  /** Whether the pointer that was read last has the seal that this node would give it. */
  current = false;

  constructor(kind: ImageKind, keys: SnapshotKeys) {
    this.#kind = kind;
    this.#keys = keys;
  }

  /** A pointer without a right seal names nothing; `fault` says why. */
  parse(json: unknown): Pointer<PublishedFile> {
    this.sequence = 0;
    this.current = false;
    this.fault = undefined;
    const text = sealedText(json);
    if (text === undefined) this.fault = new SealError('current.json has no seal');
    else if (!this.#isSealed(text))
      this.fault = new SealError('current.json is sealed with another secret, or was changed');
    if (text === undefined || this.fault !== undefined) return {};
    this.#note(text.seal.sequence);
    const { current, previous, seal } = text;
    return {
      current: { file: current, sha256: seal.current_sha256 },
      ...(previous !== undefined && { before: { file: previous, sha256: seal.previous_sha256! } }),
    };
  }

  print({ current, before }: Pointer<PublishedFile>): string {
    const now = Date.now();
    this.#note(Math.max(now, this.highest + 1));
    const unsealed: Omit<Seal, 'mac'> = {
      sequence: this.sequence,
      published_at: new Date(now).toISOString(),
      current_sha256: current!.sha256,
      ...(before !== undefined && { previous_sha256: before.sha256 }),
    };
    const names = { current: current!.file, ...(before !== undefined && { previous: before.file }) };
    const mac = macOf(this.#keys.current, this.#kind, { ...names, seal: unsealed }).toString('base64url');
    return `${JSON.stringify({ ...names, seal: { ...unsealed, mac } })}\n`;
  }

  files({ file }: PublishedFile): readonly string[] {
    return [file];
  }

  owns(name: string): boolean {
    return isImageName(name);
  }

  #note(sequence: number): void {
    this.sequence = sequence;
    this.highest = Math.max(this.highest, sequence);
  }

  #isSealed(text: SealedText): boolean {
    const given = Buffer.from(text.seal.mac, 'base64url');
    const isOf = (key: Uint8Array): boolean => {
      const right = macOf(key, this.#kind, text);
      return given.length === right.length && timingSafeEqual(given, right);
    };
    this.current = isOf(this.#keys.current);
    return this.current || this.#keys.former.some(isOf);
  }
}

function macOf(
  key: Uint8Array,
  kind: ImageKind,
  { current, previous, seal }: Omit<SealedText, 'seal'> & { readonly seal: Omit<Seal, 'mac'> },
): Buffer {
  const { sequence, published_at, current_sha256, previous_sha256 } = seal;
  const parts = [
    'pulse/snapshot/1',
    kind,
    sequence,
    published_at,
    current,
    current_sha256,
    previous ?? null,
    previous_sha256 ?? null,
  ];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

function sealedText(json: unknown): SealedText | undefined {
  const { current, previous, seal } = Object(json) as {
    readonly current?: unknown;
    readonly previous?: unknown;
    readonly seal?: unknown;
  };
  const { sequence, published_at, current_sha256, previous_sha256, mac } = Object(seal) as {
    readonly [Field in keyof Seal]?: unknown;
  };
  if (!isImageName(current) || !isDigest(current_sha256)) return undefined;
  if (previous !== undefined && !(isImageName(previous) && isDigest(previous_sha256))) return undefined;
  if (!isTime(sequence) || typeof published_at !== 'string' || typeof mac !== 'string') return undefined;
  return json as SealedText;
}

const isTime = (value: unknown): boolean =>
  Number.isSafeInteger(value) && !Number.isNaN(new Date(value as number).getTime());
const isDigest = (text: unknown): text is string => typeof text === 'string' && DIGEST.test(text);
