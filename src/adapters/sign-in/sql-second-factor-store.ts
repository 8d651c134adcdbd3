import type { Kysely, Selectable, Transaction } from 'kysely';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import {
  type FactorStep,
  type SecondFactorStore,
  type StepPurpose,
  type StoredFactor,
  tooManyPasskeys,
} from '../../service/accounts/second-factor-store.ts';
import { Problem } from '../../service/problem.ts';
import { recordChange } from '../database/record-change.ts';
import type { SignInTables } from '../database/sign-in-tables.ts';
import type { Database } from '../database/tables.ts';

/** Second factors, recovery codes and unfinished steps in SQLite or PostgreSQL. */
export class SqlSecondFactorStore implements SecondFactorStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async factors(accountId: string): Promise<readonly StoredFactor[]> {
    const rows = await this.#db
      .selectFrom('second_factors')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(factorOf);
  }

  addFactor(factor: StoredFactor, by: By): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      await note(trx, 'factor.add', factor.accountId, { id: factor.id, kind: factor.kind }, by);
      const same = trx
        .selectFrom('second_factors')
        .select('id')
        .where('account_id', '=', factor.accountId)
        .where('kind', '=', factor.kind);
      if (factor.kind === 'totp') await trx.deleteFrom('second_factors').where('id', 'in', same).execute();
      else if ((await same.execute()).length >= ACCOUNT_CAPS.passkeys) throw tooManyPasskeys();
      const added = await trx
        .insertInto('second_factors')
        .values(rowOf(factor))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (added === undefined) throw new Problem('bad_request', { message: 'This passkey is registered already.' });
    });
  }

  renamePasskey(accountId: string, id: string, name: string, by: By): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('second_factors')
        .set({ name })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('kind', '=', 'passkey')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await note(trx, 'factor.rename', accountId, { id }, by);
      return true;
    });
  }

  removeFactor(accountId: string, id: string, mustKeepOne: boolean, by: By): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const removed = await trx
        .deleteFrom('second_factors')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returning('kind')
        .executeTakeFirst();
      if (removed === undefined) return false;
      await note(trx, 'factor.remove', accountId, { id, kind: removed.kind }, by);
      const left = await trx
        .selectFrom('second_factors')
        .select('id')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (left === undefined && mustKeepOne)
        throw new Problem('forbidden', { message: 'This account must have a second factor; add another one first.' });
      if (left === undefined) await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      return true;
    });
  }

  removeAll(accountId: string, by: By): Promise<number> {
    return this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('second_factors')
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('factor_steps').where('account_id', '=', accountId).execute();
      const removed = Number(numDeletedRows);
      await note(trx, 'factor.reset', accountId, { removed }, by);
      return removed;
    });
  }

  async advanceCounter(id: string, from: number, to: number, at: UnixMs): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('second_factors')
      .set({ counter: to, last_used_at: at })
      .where('id', '=', id)
      .where('counter', '=', from)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  replaceRecoveryCodes(accountId: string, hashes: readonly string[], by: By): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      await note(trx, 'factor.recovery-codes', accountId, { codes: hashes.length }, by);
      await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      await trx
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ hash, account_id: accountId })))
        .execute();
    });
  }

  takeRecoveryCode(accountId: string, hash: string, by: By): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('recovery_codes')
        .where('account_id', '=', accountId)
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (numDeletedRows !== 1n) return false;
      await note(trx, 'factor.recovery-used', accountId, {}, by);
      return true;
    });
  }

  async recoveryCodesLeft(accountId: string): Promise<number> {
    return (await this.#db.selectFrom('recovery_codes').select('hash').where('account_id', '=', accountId).execute())
      .length;
  }

  async addStep(step: FactorStep): Promise<void> {
    const { id, purpose, accountId, sessionId, payload, expiresAt } = step;
    const row = { id, purpose, account_id: accountId, session_id: sessionId ?? null, payload, expires_at: expiresAt };
    await this.#db.insertInto('factor_steps').values(row).execute();
  }

  async findStep(id: string, purpose: StepPurpose, at: UnixMs): Promise<FactorStep | undefined> {
    const row = await this.#db
      .selectFrom('factor_steps')
      .selectAll()
      .where('id', '=', id)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', at)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    return {
      id,
      purpose,
      accountId: row.account_id,
      sessionId: row.session_id ?? undefined,
      payload: row.payload,
      expiresAt: unixMs(row.expires_at),
    };
  }

  async takeStep(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db.deleteFrom('factor_steps').where('id', '=', id).executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async dropSteps(accountId: string): Promise<void> {
    await this.#db.deleteFrom('factor_steps').where('account_id', '=', accountId).execute();
  }

  async purgeSteps(at: UnixMs): Promise<void> {
    await this.#db.deleteFrom('factor_steps').where('expires_at', '<=', at).execute();
  }
}

/** Topic `note`: nothing of this is cached. It makes writers wait for one another, so a read of the transaction after it holds until its end. */
const note = (
  trx: Transaction<Database>,
  action: string,
  accountId: string,
  detail: Readonly<Record<string, unknown>>,
  by: By,
): Promise<number> => recordChange(trx, { ...by, action, topic: 'note', subject: accountId, detail });

type FactorRow = SignInTables['second_factors'];

const factorOf = (row: Selectable<FactorRow>): StoredFactor => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  name: row.name,
  secret: row.secret,
  credentialId: row.credential_id ?? undefined,
  transports: row.transports === '' ? [] : row.transports.split(' '),
  counter: row.counter,
  createdAt: unixMs(row.created_at),
  lastUsedAt: row.last_used_at === null ? undefined : unixMs(row.last_used_at),
});

const rowOf = (factor: StoredFactor): FactorRow => ({
  id: factor.id,
  account_id: factor.accountId,
  kind: factor.kind,
  name: factor.name,
  secret: factor.secret,
  credential_id: factor.credentialId ?? null,
  transports: factor.transports.join(' '),
  counter: factor.counter,
  created_at: factor.createdAt,
  last_used_at: factor.lastUsedAt ?? null,
});
