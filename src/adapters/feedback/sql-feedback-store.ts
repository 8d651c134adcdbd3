import { sql } from 'kysely';
import type { Explanation } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type {
  Feedback,
  FeedbackCaps,
  FeedbackOutcome,
  FeedbackStore,
  FeedbackVerdict,
  SourceFeedback,
} from '../../service/feedback/feedback-store.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { changedBy, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { FeedbackTables } from '../database/tables.ts';

type FeedbackRow = FeedbackTables['feedback'];

const KEPT_MS = 400 * DAY_MS;

export class SqlFeedbackStore extends SqlStore implements FeedbackStore {
  add(feedback: Feedback, caps: FeedbackCaps): Promise<'added' | 'differs' | 'too_many'> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      await sql`delete from feedback where at < ${feedback.at - KEPT_MS}`.execute(trx);
      const { id, at, account = null, ip, verdict, riskType = null, comment = null, explanation, outcome } = feedback;
      const held = await firstOf(trx, sql<FeedbackRow>`select * from feedback where id = ${id}`);
      const said = [held?.ip, held?.verdict, held?.risk_type, held?.comment];
      if (held !== undefined)
        return [ip, verdict, riskType, comment].every((value, i) => value === said[i]) ? 'added' : 'differs';
      const open = sql<Record<'all' | 'anonymous' | 'mine' | 'about', number>>`select count(*) as "all",
        count(*) - count(account) as anonymous, count(case when account = ${account} then 1 end) as mine,
        count(case when ip = ${ip} then 1 end) as about from feedback where outcome = 'open'`;
      const { all, anonymous, mine, about } = (await firstOf(trx, open))!;
      if (Number(mine) >= caps.account) return 'too_many';
      const isFull = Number(all) >= caps.all || (account === null && Number(anonymous) >= caps.all / 2);
      if (isFull || Number(about) >= caps.address) {
        const among = Number(about) >= caps.address ? sql`and ip = ${ip}` : sql``;
        const oldest = sql`delete from feedback where id = (select id from feedback
          where outcome = 'open' and account is null ${among} order by at, id limit 1)`;
        if ((await changedBy(trx, oldest)) === 0) return 'too_many';
      }
      const row = { id, at, account, ip, verdict, risk_type: riskType, comment, outcome, decided_at: null };
      await trx
        .insertInto('feedback')
        .values({ ...row, explanation: JSON.stringify(explanation) })
        .execute();
      return 'added';
    });
  }

  async list(limit: number): Promise<readonly Feedback[]> {
    const rows = sql<FeedbackRow>`select * from feedback
      order by case outcome when 'open' then 0 else 1 end, at desc, id limit ${limit}`;
    return (await rowsOf(this.db, rows)).map(feedbackOf);
  }

  decide(id: string, outcome: 'confirmed' | 'rejected', by: By): Promise<Feedback | 'unknown_feedback'> {
    return this.transaction(async (trx) => {
      const found = await trx.selectFrom('feedback').selectAll().where('id', '=', id).executeTakeFirst();
      if (found === undefined) return 'unknown_feedback';
      const { ip, verdict } = found;
      const detail = { ip, verdict, outcome };
      await recordChange(trx, { ...by, action: 'feedback.decide', topic: 'feedback', subject: id, detail });
      await trx.updateTable('feedback').set({ outcome, decided_at: by.at }).where('id', '=', id).execute();
      return feedbackOf({ ...found, outcome });
    });
  }

  decideAll(account: string | undefined, outcome: 'confirmed' | 'rejected', by: By): Promise<number> {
    return this.transaction(async (trx) => {
      const whose = account === undefined ? sql`account is null` : sql`account = ${account}`;
      const decide = sql`update feedback set outcome = ${outcome}, decided_at = ${by.at}
        where outcome = 'open' and ${whose}`;
      const count = await changedBy(trx, decide);
      const change = { action: 'feedback.decide', topic: 'feedback', detail: { outcome, count } } as const;
      await recordChange(trx, { ...by, ...change, subject: account ?? 'anonymous' });
      return count;
    });
  }

  async bySource(): Promise<ReadonlyMap<string, SourceFeedback>> {
    const decided = sql<Pick<FeedbackRow, 'explanation' | 'outcome'>>`select explanation, outcome from feedback
      where outcome <> 'open' and verdict = 'false_positive'`;
    const counts = new Map<string, SourceFeedback>();
    for (const { explanation, outcome } of await rowsOf(this.db, decided)) {
      const { rows } = JSON.parse(explanation) as Explanation;
      const sources = rows.filter(({ strength }) => strength > 0).flatMap(({ seen_by: names = [] }) => names);
      for (const source of new Set(sources)) {
        const { decided: all = 0, confirmed = 0 } = counts.get(source) ?? {};
        counts.set(source, { decided: all + 1, confirmed: confirmed + (outcome === 'confirmed' ? 1 : 0) });
      }
    }
    return counts;
  }
}

const feedbackOf = ({
  id,
  at,
  account,
  ip,
  verdict,
  risk_type,
  comment,
  explanation,
  outcome,
}: FeedbackRow): Feedback => ({
  id,
  at: unixMs(Number(at)),
  account: account ?? undefined,
  ip,
  verdict: verdict as FeedbackVerdict,
  riskType: (risk_type ?? undefined) as RiskType | undefined,
  comment: comment ?? undefined,
  explanation: JSON.parse(explanation) as Explanation,
  outcome: outcome as FeedbackOutcome,
});
