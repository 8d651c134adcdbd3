import type { PhoneMeta } from '../../contract/documents.ts';
import { ERRORS } from '../../contract/errors.ts';
import { PHONE_BATCH_MAX } from '../../contract/phone.ts';
import { isRecord } from '../../core/kit/json.ts';
import type { PhoneAnswer } from '../../core/phone/entry.ts';
import { normalise, type PhoneNumber } from '../../core/phone/normalise.ts';
import { isHit, type ProfileFrame, profileText } from '../../core/phone/profile.ts';
import type { SegmentTable } from '../../core/phone/segments.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';
import { LibraryUnavailable, type PhoneLibraries } from './phone-libraries.ts';

export interface PhoneData {
  readonly libraries: PhoneLibraries;
  readonly segments: SegmentTable;
}

export interface PhoneInput {
  readonly input: string;
  readonly number: PhoneNumber | undefined;
}

export interface PhoneQuery {
  readonly now: UnixMs;
  readonly requestId: string;
}

export function readLookupBody(body: unknown): PhoneInput {
  if (!isRecord(body) || typeof body.number !== 'string')
    throw new Problem('bad_request', { message: 'The body must be a JSON object with "number", a string.' });
  return readInput(body.number);
}

/** @throws Problem bad_request, payload_too_large */
export function readBatchBody(body: unknown): readonly PhoneInput[] {
  const numbers = isRecord(body) ? body.numbers : undefined;
  if (!Array.isArray(numbers))
    throw new Problem('bad_request', {
      message: 'The body must be a JSON object with "numbers", an array of strings.',
    });
  if (numbers.length > PHONE_BATCH_MAX)
    throw new Problem('payload_too_large', { message: `A batch holds at most ${PHONE_BATCH_MAX} numbers.` });
  if (!numbers.every((number) => typeof number === 'string'))
    throw new Problem('bad_request', { message: 'Every item of "numbers" must be a string.' });
  return numbers.map(readInput);
}

const readInput = (input: string): PhoneInput => ({ input, number: normalise(input) });

/** Every parseable number costs one unit, duplicates each time. */
export const quotaUnits = (inputs: readonly PhoneInput[]): number =>
  inputs.reduce((sum, { number }) => sum + (number === undefined ? 0 : 1), 0);

/** Returns JSON text, as `lookupPhones` does. @throws Problem upstream_unavailable */
export async function lookupPhone(data: PhoneData, { input, number }: PhoneInput, query: PhoneQuery): Promise<string> {
  if (number === undefined) throw new Problem('bad_number');
  const answer = await ask(data.libraries, [number.digits]);
  return profileText(input, number, answer.findings[0] ?? [], frameOf(data, answer, query));
}

export async function lookupPhones(data: PhoneData, inputs: readonly PhoneInput[], query: PhoneQuery): Promise<string> {
  const digits = inputs.flatMap(({ number }) => (number === undefined ? [] : [number.digits]));
  const answer = await ask(data.libraries, digits);
  const frame = frameOf(data, answer, query);
  let results = '';
  let parsed = 0;
  let hits = 0;
  for (const { input, number } of inputs) {
    if (results !== '') results += ',';
    if (number === undefined) {
      results += unparseableText(input);
      continue;
    }
    const findings = answer.findings[parsed] ?? [];
    parsed += 1;
    if (isHit(number, findings)) hits += 1;
    results += profileText(input, number, findings, frame);
  }
  return `{"count":${inputs.length},"billable":${digits.length},"hit_count":${hits},"results":[${results}]}`;
}

const unparseableText = (input: string): string =>
  `{"query":{"input":${JSON.stringify(input)}},"hit":false,"error":${BAD_NUMBER}}`;
const BAD_NUMBER = JSON.stringify({ code: 'bad_number', message: ERRORS.bad_number.message });

const frameOf = (
  { segments }: PhoneData,
  { dataVersion }: PhoneAnswer,
  { now, requestId }: PhoneQuery,
): ProfileFrame => {
  const meta: PhoneMeta = { request_id: requestId, data_version: dataVersion };
  return { segments, now, meta: JSON.stringify(meta) };
};

async function ask(libraries: PhoneLibraries, digits: readonly string[]): Promise<PhoneAnswer> {
  try {
    return await libraries.lookup(digits);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Turns an unavailable library into a 502. Any other error is a fault of ours and is returned unchanged. */
export function problemOf(error: unknown): unknown {
  if (!(error instanceof LibraryUnavailable)) return error;
  return new Problem('upstream_unavailable', { detail: error.message, cause: error });
}
