/** This thread makes lists and decisions, so that no request waits for a million verdicts. */

import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { lowerPriority } from '../../adapters/system/own-process.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import type { DecisionQuery } from '../../service/lists/decision-lists.ts';
import type { ListQuery } from '../../service/lists/list-files.ts';
import { ExportImages } from '../bulk/export-images.ts';
import { DecisionAnswers, type DecisionReply } from './decision-answers.ts';
import { ListAnswers, type ListReply } from './list-answers.ts';

export type ListRequest = { readonly decisions: DecisionQuery } | { readonly list: ListQuery };
export type ListWorkerReply = DecisionReply | ListReply;

lowerPriority();
const config = workerData as Pick<Config, 'dataDir' | 'databaseUrl'>;
const store = await openHistory(config);
const images = new ExportImages(config, store);
const decisions = new DecisionAnswers(join(config.dataDir, 'bouncers'), images);
const lists = new ListAnswers(join(config.dataDir, 'lists'), { images, store });

answerCalls<ListRequest, ListWorkerReply>((call, { signal }) =>
  'list' in call ? lists.answer(call.list, signal) : decisions.answer(call.decisions),
);
