import type { FastifyInstance } from 'fastify';
import type { ApiKey } from '../../core/caller/caller.ts';
import { keyFault } from '../../core/caller/sent-key.ts';
import type { PolicyDocument } from '../../core/policy/policy.ts';
import type { AccountStore } from '../../service/accounts/account-store.ts';
import { policyInForce, setPolicy } from '../../service/policy/set-policy.ts';
import type { Clock } from '../../service/ports.ts';
import { sessionOf } from './session/session-of.ts';

export interface PolicyRoutesOptions {
  readonly accounts: Pick<AccountStore, 'keys' | 'changeKey'>;
  readonly clock: Clock;
}

/** The policy of a key that may ask GET /v1/decide. */
export interface KeyPolicy {
  readonly key_id: string;
  readonly name: string;
  readonly policy: PolicyDocument;
}

/**
 * Policies of the account's keys, below /console/api.
 *
 *     GET /policies          {policies: [{key_id, name, policy}]}, of keys in use
 *     PUT /policies/{key}    the policy, whole or in part; an absent field has its default
 */
export function policyRoutes(app: FastifyInstance, { accounts, clock }: PolicyRoutesOptions): void {
  app.get('/console/api/policies', async (request): Promise<{ readonly policies: readonly KeyPolicy[] }> => {
    const keys = await accounts.keys(sessionOf(request).account.id);
    const now = clock.now();
    return { policies: keys.filter((key) => mayAsk(key) && keyFault(key, now) === undefined).map(describe) };
  });

  app.put('/console/api/policies/:key', async (request): Promise<PolicyDocument> => {
    const { account } = sessionOf(request);
    const { key } = request.params as { readonly key: string };
    const by = { actor: `user:${account.id}`, at: clock.now() } as const;
    return await setPolicy(accounts, key, request.body, by, account.id);
  });
}

const mayAsk = ({ sends }: ApiKey): boolean => sends === undefined;
const describe = (key: ApiKey): KeyPolicy => ({ key_id: key.id, name: key.name, policy: policyInForce(key) });
