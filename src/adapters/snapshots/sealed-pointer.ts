import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ImageKind } from '../../engine/image.ts';
import type { Pointer, PointerFormat } from '../system/current-files.ts';

/** The file's own checksums find damage, but an attacker can forge them; `sha256` (hexadecimal) is sealed. */
export interface PublishedFile {
  readonly file: string;
  readonly sha256: string;
}

/**
 * The deployment's nodes recognise each other's publications by these keys; the former ones are still
 * accepted.
 */
export interface SnapshotKeys {
  readonly current: Uint8Array;
  readonly former: readonly Uint8Array[];
}

/** The author of the pointer does not know the deployment's secret, or an old pointer was restored. */
export class SealedPointerError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SealedPointerError';
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
 * The names in `current.json` and a seal over them: an HMAC-SHA256 over kind, sequence, time, and name and
 * SHA-256 of both files. Sequences only grow, also over restarts: each is the publisher's time in
 * milliseconds, or one more than the highest seen if its clock went back.
 */
export class SealedPointer implements PointerFormat<PublishedFile> {
  readonly name = 'current.json';
  readonly #kind: ImageKind;
  readonly #keys: SnapshotKeys;
  /**
   * `fault` says why the last pointer read is refused, and `sequence` is its sequence, 0 without a valid seal.
   * `current` is true where this node would seal it the same way. `highest` is the highest sequence read or
   * written here.
   */
  fault: SealedPointerError | undefined;
  sequence = 0;
  highest = 0;
  current = false;

  constructor(kind: ImageKind, keys: SnapshotKeys) {
    this.#kind = kind;
    this.#keys = keys;
  }

  parse(json: unknown): Pointer<PublishedFile> {
    this.sequence = 0;
    this.current = false;
    this.fault = undefined;
    const text = sealedText(json);
    if (text === undefined) this.fault = new SealedPointerError('current.json has no seal');
    else if (!this.#isSealed(text))
      this.fault = new SealedPointerError('current.json is sealed with another secret, or was changed');
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

  startFrom(sequence: number): void {
    this.highest = Math.max(this.highest, sequence);
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

export function isPublishedFile(value: unknown): value is PublishedFile {
  const { file, sha256 } = Object(value) as Record<string, unknown>;
  return isImageName(file) && isDigest(sha256);
}

const isTime = (value: unknown): boolean =>
  Number.isSafeInteger(value) && !Number.isNaN(new Date(value as number).getTime());
const isDigest = (text: unknown): text is string => typeof text === 'string' && DIGEST.test(text);
