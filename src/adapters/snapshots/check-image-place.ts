import { within } from '../http-client/within.ts';
import { faultText, NO_ANSWER, networkFault } from '../system/system-fault.ts';
import { placeAt } from './open-snapshots.ts';

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
 * @returns whether there is one, with the clock of its server; else why the place cannot be read, without anything secret
 */
export async function checkImagePlace(place: string, withinMs: number) {
  const images = placeAt(place)('geo');
  try {
    const text = await within(withinMs, () => images.text('current.json'));
    return { published: text !== undefined, offsetMs: images.clockOffsetMs };
  } catch (error) {
    return { cause: causeOf(error) };
  }
}

function causeOf(error: unknown): string {
  const { name, code = '' } = error as NodeJS.ErrnoException;
  return CAUSES[name] ?? networkFault(code)?.cause ?? (code === '' ? name : faultText(error));
}
