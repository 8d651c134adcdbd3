import type { BulkReadRequest, BulkReport, BulkRequest, Findings, Unreadable } from './bulk-request.ts';
import type { BulkRows } from './bulk-rows.ts';
import { dropBatches, type KeptBatch, keepBatch, keptBatches } from './kept-batches.ts';
import { UnclearLayout } from './log-blocks.ts';
import { PackedFile } from './open-blob.ts';
import { type BatchRoute, sendBatches } from './send-batches.ts';

/** Pause between two reports of progress while a file is read. */
const REPORT_MS = 100;

/** The part of a bulk lookup that belongs to its kind; the rest is the same for all. */
export interface BulkJob<Rows, Found extends Findings, Summary, Options> {
  readonly route: BatchRoute;
  /** Reads the entries of a file. @returns undefined where there are more than a page looks up @throws UnclearLayout */
  readonly read: (
    request: BulkReadRequest<Options>,
    onLines: (lines: number) => void,
  ) => Promise<{ readonly rows: Rows; readonly found: Found } | undefined>;
  /** Tells whether answers about the file are worth keeping in the browser. */
  readonly isKept: (rows: Rows) => boolean;
  /** Counts the answers so far; undefined without any. */
  readonly summarize: (rows: Rows, request: BulkReadRequest<Options>) => Promise<Summary | undefined>;
  /** A table of all answers. */
  readonly csv: (rows: Rows, request: BulkReadRequest<Options>) => Promise<readonly BlobPart[]>;
}

const reasonOf = (error: unknown): Unreadable =>
  error instanceof UnclearLayout ? 'layout' : error instanceof PackedFile ? 'packed' : 'damaged';

/** The file being worked on. */
interface Work<Rows, Options> {
  readonly order: BulkReadRequest<Options>;
  readonly rows: Rows;
  /** Data kept with its answers; undefined: none are kept. */
  readonly run: Pick<KeptBatch, 'run' | 'account' | 'name'> | undefined;
}

/**
 * Makes this thread the worker of a bulk page: it reads a file, looks its entries up and counts them, so that
 * the page stays free.
 */
export function serveBulk<
  Item,
  Kept,
  About,
  Rows extends BulkRows<Item, Kept, About>,
  Found extends Findings,
  Summary,
  Options,
>(job: BulkJob<Rows, Found, Summary, Options>): void {
  let work: Work<Rows, Options> | undefined;
  let running = new AbortController();
  const report = (message: BulkReport<Found, Summary>): void => postMessage(message);

  const read = async (request: BulkReadRequest<Options>): Promise<void> => {
    work = undefined;
    let reportedAt = performance.now();
    try {
      const read = await job.read(request, (lines) => {
        if (performance.now() - reportedAt < REPORT_MS) return;
        reportedAt = performance.now();
        report({ is: 'reading', lines });
      });
      if (read === undefined) return report({ is: 'unreadable', reason: 'too_many' });
      const { rows, found } = read;
      const { account, name } = request;
      const run = job.isKept(rows) ? { run: `${account} ${rows.digest()}`, account, name } : undefined;
      work = { order: request, rows, run };
      await restore(work);
      report({ is: 'found', found, kept: rows.answered });
      await summarize(work);
    } catch (error) {
      report({ is: 'unreadable', reason: reasonOf(error) });
    }
  };

  /** Takes the answers that an earlier run over this file kept. */
  const restore = async ({ rows, run }: Work<Rows, Options>): Promise<void> => {
    if (run === undefined) return;
    const now = Date.now();
    try {
      await dropBatches(now, () => false);
      const batches = (await keptBatches(run.account, now)).filter((batch) => batch.run === run.run);
      for (const { answers, about } of batches as readonly KeptBatch<Kept, About>[]) rows.restore(answers, about);
    } catch {
      report({ is: 'unkept' });
    }
  };

  const keep = async ({ rows, run }: Work<Rows, Options>, numbers: readonly number[]): Promise<void> => {
    if (run === undefined) return;
    const answers = numbers.flatMap((number) => rows.kept(number) ?? []);
    try {
      await keepBatch({ ...run, of: rows.size, at: Date.now(), about: rows.about, answers });
    } catch {
      report({ is: 'unkept' });
    }
  };

  const summarize = async ({ rows, order }: Work<Rows, Options>): Promise<void> => {
    const summary = await job.summarize(rows, order);
    if (summary !== undefined) report({ is: 'summary', summary });
  };

  const lookUp = async (
    of: Work<Rows, Options>,
    { csrf, most, perMin }: Extract<BulkRequest, { do: 'run' }>,
  ): Promise<void> => {
    running = new AbortController();
    let summarizing: Promise<void> = Promise.resolve();
    const problem = await sendBatches<Item>(of.rows, {
      ...{ route: job.route, csrf, most, perMin },
      signal: running.signal,
      onProgress: (done, all, charged) => report({ is: 'progress', done, of: all, charged }),
      onAnswered: (numbers) => keep(of, numbers),
      onWait: (seconds) => {
        report({ is: 'waiting', seconds });
        summarizing = summarizing.then(() => summarize(of));
      },
    });
    report({ is: 'ended', left: of.rows.size - of.rows.answered, ...(problem !== undefined && { problem }) });
    await summarizing;
    await summarize(of);
  };

  const forget = async ({ order, run: meant }: Work<Rows, Options>): Promise<void> => {
    await dropBatches(Date.now(), ({ run }) => run === meant?.run).catch(() => report({ is: 'unkept' }));
    await read(order);
  };

  const csv = async ({ rows, order }: Work<Rows, Options>): Promise<void> => {
    const text = new Blob(['\uFEFF', ...(await job.csv(rows, order))], { type: 'text/csv;charset=utf-8' });
    report({ is: 'csv', text });
  };

  addEventListener('message', ({ data }: MessageEvent<BulkRequest<Options>>) => {
    if (data.do === 'read') return void read(data);
    if (data.do === 'stop') return running.abort();
    if (work === undefined) return;
    if (data.do === 'run') void lookUp(work, data);
    else if (data.do === 'forget') void forget(work);
    else void csv(work);
  });
}
