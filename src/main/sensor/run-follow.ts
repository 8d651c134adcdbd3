import { setTimeout as wait } from 'node:timers/promises';
import { openInput, refuseBinary } from '../../adapters/log-files/open-input.ts';
import { tailFile } from '../../adapters/log-files/tail-file.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { lockFolder } from '../../adapters/system/folder-lock.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import type { LogReader } from '../../core/collection/logs/log-event.ts';
import { printCaptures } from '../../core/collection/print-captures.ts';
import type { FoldedCapture } from '../../core/collection/tally/collection-tally.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { fault } from '../../core/texts/said.ts';
import { type FollowCounts, type FollowLogOptions, followLog } from '../../service/intake/follow-log.ts';
import { type CaptureReport, type ReportOptions, reportCaptures } from './report-captures.ts';

export interface RunFollowOptions {
  readonly path: string;
  readonly reader: LogReader;
  readonly ignored: readonly Prefix[];
  readonly intervalMs: number;
  readonly folder: string;
  readonly log: Logger;
  readonly report: ReportOptions | undefined;
  readonly print: (rows: string) => void;
  readonly signal: AbortSignal;
}

const RETRY_MS = 5000;

/**
 * Follows a log until it ends or the signal aborts.
 * @returns how much was read
 * @throws Error if another process follows with the same folder, or if the log cannot be read
 */
export async function runFollow(options: RunFollowOptions): Promise<FollowCounts> {
  if (options.report === undefined) return await follow(options, async (rows) => options.print(printCaptures(rows)));
  const lock = await lockFolder(options.folder, 0);
  if (lock === undefined)
    throw fault('another process follows a log with {folder}; name a source or folder of its own', {
      folder: options.folder,
    });
  const report = await reportCaptures(options.report, options.log);
  try {
    return await follow(options, (rows) => keepInReport(report, rows, options));
  } finally {
    await report.stop();
    lock.release();
  }
}

async function follow(
  { path, reader, ignored, intervalMs, log, signal }: RunFollowOptions,
  keep: FollowLogOptions['keep'],
): Promise<FollowCounts> {
  const chunks =
    path === '-' ? (await openInput(path, signal)).chunks : refuseBinary(path, tailFile(path, signal, log));
  return await followLog({ chunks, reader, ignored, keep, now: systemClock.now, intervalMs, signal, log });
}

/**
 * Waits while the spool has no room: unread lines stay in the log. @throws the disk's error, only after the
 * signal
 */
async function keepInReport(
  report: CaptureReport,
  rows: readonly FoldedCapture[],
  { signal, log }: RunFollowOptions,
): Promise<void> {
  for (;;) {
    await report.room(signal);
    try {
      return await report.put(rows);
    } catch (error) {
      if (signal.aborted) throw error;
      log.error({ error }, 'captures cannot be kept in the spool; they are tried again');
      await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
