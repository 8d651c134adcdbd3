import { setTimeout } from 'node:timers/promises';
import { faultText, NO_ANSWER, networkFault } from '../system/system-fault.ts';
import { placeAt } from './open-snapshots.ts';

/** An operator can act on these names of S3. */
const CAUSES: Readonly<Record<string, string>> = {
  AccessDenied: 'the credentials have no right to read it',
  CredentialsProviderError: 'there are no credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or a profile)',
  InvalidAccessKeyId: 'the access key is not known',
  NoSuchBucket: 'there is no bucket of this name',
  RequestTimeTooSkewed: "this machine's clock differs too much from the store's",
  SignatureDoesNotMatch: 'the secret key is wrong',
  TimeoutError: NO_ANSWER.cause,
};

/**
 * Reads the pointer of the newest published image.
 * @returns whether there is one; else why the place cannot be read, without anything secret
 */
export async function checkImagePlace(
  place: string,
  withinMs: number,
): Promise<{ readonly published: boolean } | { readonly cause: string }> {
  const silent = new AbortController();
  const late = setTimeout(withinMs, undefined, { signal: silent.signal }).then(
    () => ({ cause: NO_ANSWER.cause }),
    () => ({ cause: '' }),
  );
  const asked = placeAt(place)('geo')
    .text('current.json')
    .then(
      (text) => ({ published: text !== undefined }),
      (error: unknown) => ({ cause: causeOf(error) }),
    );
  const found = await Promise.race([asked, late]);
  silent.abort();
  return found;
}

function causeOf(error: unknown): string {
  const { name, code = '' } = error as NodeJS.ErrnoException;
  return CAUSES[name] ?? networkFault(code)?.cause ?? (code === '' ? name : faultText(error));
}
