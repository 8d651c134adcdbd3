import { type Selectable, sql, type Transaction } from 'kysely';
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
import type { AuthenticationMethod } from '../../service/sign-in/session.ts';
import { recordChange } from '../database/record-change.ts';
import { changedBy, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { Database, SignInTables } from '../database/tables.ts';

export class SqlSecondFactorStore extends SqlStore implements SecondFactorStore {
  async factors(accountId: string): Promise<readonly StoredFactor[]> {
    const all = sql<FactorRow>`select * from second_factors where account_id = ${accountId} order by created_at, id`;
    return (await rowsOf(this.db, all)).map(factorOf);
  }

  addFactor(factor: StoredFactor, by: By): Promise<void> {
    return this.transaction(async (trx) => {
      await note(trx, 'factor.add', factor.accountId, { id: factor.id, kind: factor.kind }, by);
      const same = sql`from second_factors where account_id = ${factor.accountId} and kind = ${factor.kind}`;
      if (factor.kind === 'totp') await sql`delete ${same}`.execute(trx);
      else if ((await rowsOf(trx, sql`select id ${same}`)).length >= ACCOUNT_CAPS.passkeys) throw tooManyPasskeys();
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
    return this.transaction(async (trx) => {
      const mine = sql`account_id = ${accountId} and id = ${id} and kind = 'passkey'`;
      if ((await changedBy(trx, sql`update second_factors set name = ${name} where ${mine}`)) === 0) return false;
      await note(trx, 'factor.rename', accountId, { id }, by);
      return true;
    });
  }

  removeFactor(accountId: string, id: string, mustKeepOne: boolean, by: By): Promise<boolean> {
    return this.transaction(async (trx) => {
      const one = sql`account_id = ${accountId} and id = ${id}`;
      const removed = await firstOf(trx, sql<FactorRow>`delete from second_factors where ${one} returning kind`);
      if (removed === undefined) return false;
      await note(trx, 'factor.remove', accountId, { id, kind: removed.kind }, by);
      const left = await firstOf(trx, sql`select id from second_factors where account_id = ${accountId}`);
      if (left === undefined && mustKeepOne)
        throw new Problem('forbidden', { message: 'This account must have a second factor; add another one first.' });
      if (left === undefined) await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      return true;
    });
  }

  removeAll(accountId: string, by: By): Promise<number> {
    return this.transaction(async (trx) => {
      const removed = await changedBy(trx, sql`delete from second_factors where account_id = ${accountId}`);
      await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('factor_steps').where('account_id', '=', accountId).execute();
      await note(trx, 'factor.reset', accountId, { removed }, by);
      return removed;
    });
  }

  async advanceCounter(id: string, from: number, to: number, at: UnixMs): Promise<boolean> {
    const one = sql`id = ${id} and counter = ${from}`;
    const set = sql`update second_factors set counter = ${to}, last_used_at = ${at} where ${one}`;
    return (await changedBy(this.db, set)) === 1;
  }

  replaceRecoveryCodes(accountId: string, hashes: readonly string[], by: By): Promise<void> {
    return this.transaction(async (trx) => {
      await note(trx, 'factor.recovery-codes', accountId, { codes: hashes.length }, by);
      await trx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
      await trx
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ hash, account_id: accountId })))
        .execute();
    });
  }

  takeRecoveryCode(accountId: string, hash: string, by: By): Promise<boolean> {
    return this.transaction(async (trx) => {
      const one = sql`delete from recovery_codes where account_id = ${accountId} and hash = ${hash}`;
      if ((await changedBy(trx, one)) !== 1) return false;
      await note(trx, 'factor.recovery-used', accountId, {}, by);
      return true;
    });
  }

  async recoveryCodesLeft(accountId: string): Promise<number> {
    return (await this.db.selectFrom('recovery_codes').select('hash').where('account_id', '=', accountId).execute())
      .length;
  }

  async addStep(step: FactorStep): Promise<void> {
    const row = {
      id: step.id,
      purpose: step.purpose,
      account_id: step.accountId,
      session_id: step.sessionId ?? null,
      amr: step.amr.join(' '),
      payload: step.payload,
      expires_at: step.expiresAt,
    };
    await this.db.insertInto('factor_steps').values(row).execute();
  }

  async findStep(id: string, purpose: StepPurpose, at: UnixMs): Promise<FactorStep | undefined> {
    const row = await firstOf(
      this.db,
      sql<StepRow>`select * from factor_steps where id = ${id} and purpose = ${purpose} and expires_at > ${at}`,
    );
    if (row === undefined) return undefined;
    return {
      id,
      purpose,
      accountId: row.account_id,
      sessionId: row.session_id ?? undefined,
      amr: row.amr === '' ? [] : (row.amr.split(' ') as AuthenticationMethod[]),
      payload: row.payload,
      expiresAt: unixMs(row.expires_at),
    };
  }

  async takeStep(id: string): Promise<boolean> {
    return (await changedBy(this.db, sql`delete from factor_steps where id = ${id}`)) === 1;
  }

  async dropSteps(accountId: string): Promise<void> {
    await this.db.deleteFrom('factor_steps').where('account_id', '=', accountId).execute();
  }

  async purgeSteps(at: UnixMs): Promise<void> {
    await this.db.deleteFrom('factor_steps').where('expires_at', '<=', at).execute();
  }
}

/**
 * Uses the topic `note`, because none of this is cached. The audit row makes writers wait, so a read after it
 * stays true until the transaction ends.
 */
const note = (
  trx: Transaction<Database>,
  action: string,
  accountId: string,
  detail: Readonly<Record<string, unknown>>,
  by: By,
): Promise<number> => recordChange(trx, { ...by, action, topic: 'note', subject: accountId, detail });

type FactorRow = SignInTables['second_factors'];
type StepRow = SignInTables['factor_steps'];

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
