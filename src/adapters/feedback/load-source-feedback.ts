import { existsSync } from 'node:fs';
import type { SourceFeedback } from '../../service/feedback/feedback-store.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { sqlitePath } from '../database/open-sqlite.ts';

export async function loadSourceFeedback(target: DatabaseTarget): Promise<ReadonlyMap<string, SourceFeedback>> {
  if (target.databaseUrl === undefined && !existsSync(sqlitePath(target))) return new Map();
  const { connectDatabase } = await import('../database/open-database.ts');
  const { SqlFeedbackStore } = await import('./sql-feedback-store.ts');
  const db = connectDatabase(target);
  try {
    return await new SqlFeedbackStore(db).bySource();
  } finally {
    await db.destroy();
  }
}
