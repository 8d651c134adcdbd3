import type { Adapter, AdapterPayload } from 'oidc-provider';
import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';
import { asProblem } from '../../service/problem.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';
import { CustomOIDCProviderError, InvalidGrant } from './authorization-server.ts';
import { TEMPORARILY_UNAVAILABLE } from './store-fault.ts';

export function providerAdapter(store: OAuthStore, clock: Clock): (kind: string) => Adapter {
  return (kind) => ({
    async upsert(id, payload, expiresIn) {
      const at = clock.now();
      const expiresAt = typeof expiresIn === 'number' ? unixMs(at + expiresIn * 1000) : undefined;
      await forProvider(() => store.upsert(kind, id, payload as Readonly<Record<string, unknown>>, at, expiresAt));
    },
    async find(id) {
      return (await forProvider(() => store.find(kind, id, clock.now()))) as AdapterPayload | undefined;
    },
    async findByUid(uid) {
      return (await forProvider(() => store.findByUid(kind, uid, clock.now()))) as AdapterPayload | undefined;
    },
    /** The device flow is disabled. */
    async findByUserCode() {
      return undefined;
    },
    async consume(id) {
      // The library checks and marks a code or refresh token in two steps. The second step must have exactly
      // one winner.
      if (!(await forProvider(() => store.consume(kind, id, clock.now()))))
        throw new InvalidGrant('used by a request at the same time');
    },
    async destroy(id) {
      await forProvider(() => store.destroy(kind, id));
    },
    async revokeByGrantId(grantId) {
      await forProvider(() => store.revokeByGrant(kind, grantId));
    },
  });
}

/** Reports an unreachable store as temporarily_unavailable; the library would report a server_error. */
export async function forProvider<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (asProblem(cause).code !== 'not_ready') throw cause;
    const away = new CustomOIDCProviderError(
      TEMPORARILY_UNAVAILABLE,
      'the service cannot reach its records now; try again shortly',
    );
    throw Object.assign(away, { status: 503, statusCode: 503, cause });
  }
}
