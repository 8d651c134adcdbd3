import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { requireFile } from '../../adapters/system/files.ts';
import { loadConfig } from '../../config.ts';
import { LOG_FORMATS, type LogFormat, makeLogReader } from '../../core/collection/logs/make-log-reader.ts';
import { SCANNER_REQUESTS } from '../../core/collection/logs/scanner-requests.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { runFollow } from '../../main/sensor/run-follow.ts';
import { say } from '../language/say.ts';
import {
  checkReportFlags,
  type ReportFlags,
  receiverOf,
  sourceName,
  wholeFrom,
  withReportOptions,
} from '../receiver-of.ts';
import { printLines, printNote } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

interface FollowFlags extends ReportFlags {
  readonly format: LogFormat;
  readonly source?: string;
  readonly folder?: string;
  readonly zone: string;
  readonly attempts: number;
  readonly alertsOnly?: boolean;
  readonly paths?: readonly string[];
  readonly statuses: readonly number[];
  readonly ignore?: readonly Prefix[];
  readonly spoolMib: number;
  readonly interval: number;
}

const MIB = 1024 * 1024;

/** `pulse-sensor follow`, in the package of the sensor alone. */
export const register = (program: Command): void => registerFollow(program, false);

export function registerFollow(parent: Command, hasStore: boolean): void {
  const command = parent
    .command('follow')
    .description('read a log as it grows, and report who scans and who tries passwords (docs/follow.md)')
    .argument('<file>', 'the log, followed over its rotation; - reads standard input')
    .addOption(new Option('--format <format>', 'what writes the log').choices(LOG_FORMATS).makeOptionMandatory())
    .option('--source <name>', 'source of the captures; default: FORMAT-log', sourceName)
    .option('--folder <path>', 'folder for the spool; default: follow/SOURCE in PULSE_DATA_DIR')
    .option(
      '--zone <name>',
      'IANA zone of times that name none',
      zone,
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .option(
      '--attempts <n>',
      'sshd: attempts of one address within ten minutes from which they count; 1 for a honeypot',
      wholeFrom(1, 1000),
      5,
    )
    .option('--alerts-only', 'eve: alerts alone, for a host that serves people')
    .option(
      '--paths <file>',
      'nginx: beginnings of paths that only scanners ask for, one per line, in place of the shipped ones',
      pathsIn,
    )
    .option('--statuses <list>', 'nginx: statuses with which a request counts', statuses, SCANNER_REQUESTS.statuses);
  withReportOptions(command, hasStore).action(run);
}

async function run(file: string, flags: FollowFlags, command: Command): Promise<void> {
  checkReportFlags(flags, command);
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const source = flags.source ?? `${flags.format}-log`;
  const folder = flags.folder ?? join(config.dataDir, 'follow', source);
  const receiver = await receiverOf(flags, { source, config, log, now: Date.now });
  const { zone: zoneName, attempts, alertsOnly = false, paths = SCANNER_REQUESTS.paths, statuses: asked } = flags;
  const counts = await runFollow({
    path: file === '-' ? file : resolve(file),
    reader: makeLogReader(flags.format, { zone: zoneName, attempts, alertsOnly, scanner: { paths, statuses: asked } }),
    ignored: flags.ignore ?? [],
    intervalMs: flags.interval * 1000,
    folder,
    log,
    report: receiver && { folder: join(folder, 'spool'), bytesMax: flags.spoolMib * MIB, receiver },
    print: (rows) => printLines(rows.trimEnd().split('\n')),
    signal: stopRequested(),
  });
  log.info({ ...counts }, 'the log is followed no more');
  if (counts.lines > 0 && !counts.isOfFormat) {
    printNote(
      say('no line of the format {format} in {lines:line|lines}; --format names what writes the log', {
        lines: counts.lines,
        format: flags.format,
      }),
    );
    process.exit(1);
  }
  // Anything that still holds the process (a kept connection to the service) has nothing left to do.
  process.exit();
}

function zone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw new InvalidArgumentError(say('expected an IANA zone such as Europe/Berlin or UTC'));
  }
}

function pathsIn(file: string): readonly string[] {
  requireFile(file);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim().toLowerCase());
  const paths = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (paths.length === 0 || paths.some((path) => !path.startsWith('/')))
    throw new InvalidArgumentError(say('{file} must hold beginnings of paths, each with a slash first', { file }));
  return paths;
}

function statuses(text: string): readonly number[] {
  const read = text.split(',').map((one) => one.trim());
  if (read.some((one) => !/^[1-5]\d\d$/.test(one)))
    throw new InvalidArgumentError(say('expected statuses such as 403,404'));
  return read.map(Number);
}
