import type { Adapter, AdapterPayload } from 'oidc-provider';
import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';
import { InvalidGrant } from './authorization-server.ts';
import { forProvider } from './store-fault.ts';

/** Storage of oidc-provider's rows: our store, one adapter a kind. */
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
    /** The device flow is switched off. */
    async findByUserCode() {
      return undefined;
    },
    async consume(id) {
      // The library looks whether a code or refresh token was used and marks it in two steps; this is the step that must have one winner.
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
