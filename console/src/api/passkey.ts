/** Every current browser has passkeys with the JSON forms of Web Authentication level 3. */
const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/**
 * Asks the browser to make a passkey. Undefined: the person declined, or this browser or device cannot make
 * one.
 * @param options JSON of the service
 */
export async function createPasskey(options: object): Promise<object | undefined> {
  if (!hasPasskeys()) return undefined;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return await responseOf(navigator.credentials.create({ publicKey }));
}

/** Asks the browser for a passkey of this account. Undefined as above. */
export async function askPasskey(options: object): Promise<object | undefined> {
  if (!hasPasskeys()) return undefined;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return await responseOf(navigator.credentials.get({ publicKey }));
}

/**
 * Browsers give one error for every reason a passkey is missing, so that a page cannot find out which
 * passkeys a person has.
 */
async function responseOf(asked: Promise<Credential | null>): Promise<object | undefined> {
  try {
    const credential = await asked;
    return credential instanceof PublicKeyCredential ? credential.toJSON() : undefined;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
