import { join } from 'node:path';
import type { Command } from 'commander';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { loadConfig } from '../../config.ts';
import { DEFAULT_LISTENING_PORTS, readListeningPorts } from '../../core/collection/traps/listening-ports.ts';
import { SENSOR_PROTOCOLS } from '../../core/collection/traps/trap.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { runSensor } from '../../main/sensor/run-sensor.ts';
import { memorySecrets, sensorSecrets } from '../../main/sensor/sensor-secrets.ts';
import type { CommandTable } from '../command-table.ts';
import { say } from '../language/say.ts';
import {
  checkReportFlags,
  prefixes,
  type ReportFlags,
  receiverOf,
  sourceName,
  withReportOptions,
} from '../receiver-of.ts';
import { printLines } from '../terminal/print.ts';
import { stopRequested, untilStopped } from '../terminal/stop-requested.ts';

interface SensorFlags extends ReportFlags {
  readonly listen?: readonly string[];
  readonly host?: string;
  readonly proxyProtocol?: readonly Prefix[];
  readonly ignore?: readonly Prefix[];
  readonly name: string;
  readonly folder?: string;
  readonly spoolMib: number;
  readonly interval: number;
}

const MIB = 1024 * 1024;

export function register(program: Command, table: CommandTable): void {
  const sensor = program
    .command('sensor')
    .description('listen on TCP ports and report who scans them and who tries passwords (docs/sensor.md)')
    .option(
      '--listen <ports>',
      `[PUBLIC:]PORT[/PROTOCOL],… with a protocol of ${SENSOR_PROTOCOLS.join(', ')}; default: the most scanned ports`,
      collect,
    )
    .option('--host <address>', 'address to listen on; default: all of this machine')
    .option('--proxy-protocol <cidr>', 'load balancers that begin connections with a PROXY header (v1 or v2)', prefixes)
    .option('--name <source>', 'source of the captures', sourceName, 'sensor')
    .option('--folder <path>', 'folder for secrets and spool; default: sensor in PULSE_DATA_DIR');
  withReportOptions(sensor, table['evidence'] !== undefined).action(run);
}

async function run(flags: SensorFlags, command: Command): Promise<void> {
  checkReportFlags(flags, command);
  const ports = flags.listen === undefined ? DEFAULT_LISTENING_PORTS : readListeningPorts(flags.listen);
  if (typeof ports === 'string') return command.error(say('error: --listen: {ports}', { ports }));
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const folder = flags.folder ?? join(config.dataDir, 'sensor');
  const now = flags.report === undefined ? Date.now : steadyNow;
  const receiver = await receiverOf(flags, { source: flags.name, config, log, now });
  const stopping = stopRequested();
  const sensor = await runSensor({
    listening: {
      ports,
      host: flags.host,
      skipTaken: flags.listen === undefined,
      proxies: flags.proxyProtocol ?? [],
      ignored: flags.ignore ?? [],
      intervalMs: flags.interval * 1000,
    },
    secrets: flags.try === true ? memorySecrets() : sensorSecrets(folder),
    now,
    log,
    report: receiver && { folder: join(folder, 'spool'), bytesMax: flags.spoolMib * MIB, receiver },
    print: (rows) => printLines(rows.trimEnd().split('\n')),
  });
  log.info({ ports: sensor.ports.map(({ port, protocol }) => `${port}/${protocol}`).join(' ') }, 'sensor listens');
  await untilStopped(stopping);
  await sensor.stop();
  // Anything that still holds the process (a kept connection to the service) has nothing left to do.
  process.exit();
}

/**
 * Wall-clock time of the start, and from then on a clock that no correction makes jump: the difference to the
 * service's clock stays the same.
 */
const steadyNow = (): number => performance.timeOrigin + performance.now();

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
