import type { FastifyInstance } from 'fastify';
import type { ConsoleKey, ConsoleNewKey, ConsoleUsage } from '../../contract/console.ts';
import type { SourceNameFault } from '../../core/collection/beacon.ts';
import type { EvidenceRight, SendLimits } from '../../core/collection/source-limits.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { BOUNCER_MAX, type BouncerBounds, readBouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import { keyCounter } from '../../core/quota/allowances.ts';
import type { UnixMs } from '../../core/units.ts';
import type { AccountStore } from '../../service/accounts/account-store.ts';
import { describeUsage } from '../../service/accounts/describe-usage.ts';
import { createKey, evidenceRight, revokeKey, sendLimits } from '../../service/accounts/keys.ts';
import type { KeyHasher } from '../../service/accounts/password.ts';
import type { Clock, Ledger } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { keyDocument } from './documents.ts';
import { fieldsOf, sessionOf } from './session/session-of.ts';

export interface AccountRoutesOptions {
  readonly accounts: AccountStore;
  readonly hasher: KeyHasher;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly quotaTz: string;
  readonly phone: boolean;
  readonly salesContact?: string | undefined;
  readonly senderNameFault: SourceNameFault;
}

/**
 * Keys and usage of the account, below /console/api. The text of a key is only in the answer of its POST.
 *
 *     GET    /keys            {keys}
 *     POST   /keys            {name, per_day?, expires_at?, phone?, send_only?, source?, kinds?, prefixes?,
 *                              evidence?, networks?, bouncer?}  {key_id, key, key_prefix}
 *     DELETE /keys/{id}
 *     GET    /usage           {me, days}: the document of GET /v1/me for the account, and 30 quota days
 */
export function accountRoutes(app: FastifyInstance, options: AccountRoutesOptions): void {
  const { accounts, hasher, ledger, clock } = options;

  app.get('/console/api/keys', async (request): Promise<{ readonly keys: readonly ConsoleKey[] }> => {
    const { account } = sessionOf(request);
    const at = clock.now();
    const keys = await accounts.keys(account.id);
    const [today] = await ledger.usageOf(keys.map(keyCounter), at, 1);
    return { keys: keys.map((key, index) => keyDocument(key, today![index]!.used)) };
  });

  app.post('/console/api/keys', async (request, reply): Promise<ConsoleNewKey> => {
    const { account } = sessionOf(request);
    const at = clock.now();
    const wish = readWish(request.body, at, options.senderNameFault);
    const { key, secret } = await createKey(
      accounts,
      hasher,
      { accountId: account.id, ...wish },
      { actor: `user:${account.id}`, at },
    );
    reply.code(201);
    return { key_id: key.id, key: secret, key_prefix: key.prefix };
  });

  app.delete('/console/api/keys/:id', async (request, reply) => {
    const { account } = sessionOf(request);
    const { id } = request.params as { readonly id: string };
    await revokeKey(accounts, id, { actor: `user:${account.id}`, at: clock.now() }, account.id);
    return reply.code(204).send();
  });

  app.get('/console/api/usage', async (request): Promise<ConsoleUsage> => {
    const { account } = sessionOf(request);
    const { quotaTz, phone, salesContact } = options;
    const question = {
      account,
      keys: await accounts.keys(account.id),
      now: clock.now(),
      quotaTz,
      phone,
      salesContact,
    };
    return await describeUsage(ledger, question);
  });
}

interface Wish {
  readonly name: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly phone?: boolean;
  readonly sends?: SendLimits;
  readonly evidence?: EvidenceRight;
  readonly bouncer?: BouncerBounds;
}

function readWish(body: unknown, now: UnixMs, nameFault: SourceNameFault): Wish {
  const { name, per_day, expires_at, phone, send_only, source, kinds, prefixes, evidence, networks, bouncer } =
    fieldsOf(body);
  if (typeof name !== 'string' || name.trim() === '')
    throw new Problem('bad_request', { message: 'A key needs a name.' });
  if (per_day !== undefined && !(Number.isSafeInteger(per_day) && Number(per_day) >= 0))
    throw new Problem('bad_request', { message: 'per_day must be a whole number.' });
  const expiresAt = typeof expires_at === 'string' ? parseRfc3339(expires_at) : undefined;
  if (expires_at !== undefined && (expiresAt === undefined || expiresAt <= now))
    throw new Problem('bad_request', { message: 'expires_at must be a future RFC 3339 date-time.' });
  if (phone !== undefined && typeof phone !== 'boolean')
    throw new Problem('bad_request', { message: 'phone must be true or false.' });
  if (send_only !== undefined && typeof send_only !== 'boolean')
    throw new Problem('bad_request', { message: 'send_only must be true or false.' });
  const right = evidenceRight(evidence, networks);
  if (send_only === true && right !== undefined)
    throw new Problem('bad_request', {
      message: 'A send-only key has its own limits: leave out evidence and networks.',
    });
  const bounds = bouncer === undefined ? undefined : readBouncerBounds(bouncer);
  if (bouncer !== undefined && bounds === undefined)
    throw new Problem('bad_request', {
      message: `bouncer is {min_score, max, single_addresses}: a score from 1, at most ${BOUNCER_MAX} decisions, true or false.`,
    });
  return {
    name,
    ...(per_day === undefined ? {} : { perDay: Number(per_day) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(phone === undefined ? {} : { phone }),
    ...(send_only === true ? { sends: sendLimits(source, nameFault, kinds, prefixes) } : {}),
    ...(right === undefined ? {} : { evidence: right }),
    ...(bounds === undefined ? {} : { bouncer: bounds }),
  };
}
