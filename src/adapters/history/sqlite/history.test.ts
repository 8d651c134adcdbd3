import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyContract } from '../history.contract.ts';
import { SqliteHistory } from './history.ts';

historyContract('SQLite history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-history-'));
  const path = join(folder, 'evidence.db');
  const store = new SqliteHistory(path);
  return {
    store,
    reopen: () => new SqliteHistory(path),
    dispose: () => {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
