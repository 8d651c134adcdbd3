import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { KnownPasskey, Passkeys, WebAuthnJson } from '../../service/sign-in/sign-in-ports.ts';

/** The library loads at the first passkey: it takes 0.3 s, and most threads never need it. */
const library = () => import('@simplewebauthn/server');

/**
 * Passkeys with @simplewebauthn/server. They belong to the host name of the public address; under another
 * name, users must register them again.
 * @param baseUrl public address
 * @returns undefined where browsers do not support passkeys: an address without a name, or http on a host
 * other than localhost (Web Authentication 5.1.3, secure contexts)
 */
export function webAuthnPasskeys(baseUrl: string): Passkeys | undefined {
  const { hostname, origin, protocol } = new URL(baseUrl);
  const isName = !/^[\d.]+$|^\[/.test(hostname);
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  if (!isName || !isSecure) return undefined;
  const site = { expectedOrigin: origin, expectedRPID: hostname, requireUserVerification: true } as const;
  return {
    async registrationOptions({ id, email }, known) {
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: 'Pulse',
        rpID: hostname,
        userName: email,
        userID: new TextEncoder().encode(id),
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: known.map(descriptorOf),
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
      });
      return { options: options as unknown as WebAuthnJson, challenge: options.challenge };
    },
    async verifyRegistration(response, challenge) {
      const { verifyRegistrationResponse } = await library();
      const verified = await verifyRegistrationResponse({
        ...site,
        response: response as RegistrationResponseJSON,
        supportedAlgorithmIDs: ALGORITHMS,
        expectedChallenge: challenge,
      }).catch(asRefused);
      if (verified?.verified !== true) return undefined;
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: transports.filter(isTransport),
      };
    },
    async authenticationOptions(known) {
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: hostname,
        allowCredentials: known.map(descriptorOf),
        userVerification: 'required',
      });
      return { options: options as unknown as WebAuthnJson, challenge: options.challenge };
    },
    async verifyAuthentication(response, challenge, passkey) {
      const { verifyAuthenticationResponse } = await library();
      const credential = {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      };
      const answer = response as AuthenticationResponseJSON;
      const verified = await verifyAuthenticationResponse({
        ...site,
        response: answer,
        expectedChallenge: challenge,
        credential,
      }).catch(asRefused);
      return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
    },
  };
}

/** EdDSA, ES256 and RS256 (IANA COSE Algorithms). Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257];

const descriptorOf = ({ credentialId, transports }: KnownPasskey) => ({
  id: credentialId,
  transports: [...transports],
});
const isTransport = (value: unknown): value is string => typeof value === 'string' && /^[a-z-]{1,20}$/.test(value);

/** The library throws for every invalid response, malformed input included; each one is a refused response. */
function asRefused(_refusal: unknown): undefined {}
