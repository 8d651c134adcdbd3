import { checkFolderMode, checkSecretMode } from '../adapters/data-folder/check-folder-mode.ts';
import type { Config } from '../config.ts';
import { isPublicHost, isPublicHttp, trustsTooMany } from '../core/caller/client-address.ts';
import { isGuessable } from '../core/data-folder/secret-lines.ts';
import { parsePrefix } from '../core/ip/prefix.ts';
import { type Said, said } from '../core/texts/said.ts';
import { configUrlOf } from './threads/thread-messages.ts';

export function checkConfig(config: Config): readonly Said[] {
  const { dataDir, signup, baseUrl, secret, secretFile, trustedProxies, decideKey } = config;
  return [
    checkFolderMode(dataDir),
    secretFile === undefined ? undefined : checkSecretMode(secretFile),
    secret !== undefined && isGuessable(secret.split('\n')[0]!)
      ? said('{place} can be guessed: few different characters, or one piece over and over', {
          place: secretFile ?? 'PULSE_SECRET',
        })
      : undefined,
    signup === 'open' && baseUrl !== undefined && isPublicHost(new URL(baseUrl).hostname)
      ? said('every visitor of {address} can make an account: PULSE_SIGNUP is open', { address: baseUrl })
      : undefined,
    isPublicHttp(configUrlOf(config))
      ? said(
          'the base URL {address} is http on a public address: passwords, keys and session cookies travel unencrypted. Put TLS in front (deploy/proxy) and set PULSE_BASE_URL to https://…',
          { address: configUrlOf(config) },
        )
      : undefined,
    trustsTooMany(trustedProxies.map((entry) => parsePrefix(entry)!))
      ? said(
          'PULSE_TRUSTED_PROXIES names more public space than a /8 (IPv6: a /16): a caller from there chooses by X-Forwarded-For the address that is counted. Name the addresses of your proxies alone',
        )
      : undefined,
    decideKey !== undefined && trustedProxies.length > 0
      ? said(
          'PULSE_DECIDE_KEY_FILE: every request for /v1/decide through PULSE_TRUSTED_PROXIES has this key. A proxy that publishes this service too must close that path to visitors, as those of deploy/proxy do',
        )
      : undefined,
  ].filter((remark) => remark !== undefined);
}
