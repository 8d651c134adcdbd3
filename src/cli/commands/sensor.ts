import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { HttpReceiver } from '../../adapters/receiver/http-receiver.ts';
import { createLogger, type Logger } from '../../adapters/system/create-logger.ts';
import { type Config, isLoopbackHost, loadConfig } from '../../config.ts';
import { DEFAULT_LISTENING_PORTS, readListeningPorts } from '../../core/collection/listening-ports.ts';
import { SENSOR_PROTOCOLS } from '../../core/collection/sensor-protocol.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { openDataFolder } from '../../main/data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../../main/demo/open-demo-folder.ts';
import { openHistory } from '../../main/evidence/open-history.ts';
import { LocalReceiver } from '../../main/sensor/local-receiver.ts';
import { runSensor } from '../../main/sensor/run-sensor.ts';
import { passingSecrets, sensorSecrets } from '../../main/sensor/sensor-secrets.ts';
import type { CaptureReceiver } from '../../service/capture-receiver.ts';
import { printLines } from '../print.ts';

interface SensorFlags {
  readonly listen?: readonly string[];
  readonly host?: string;
  readonly proxyProtocol?: readonly Prefix[];
  readonly ignore?: readonly Prefix[];
  readonly report?: string;
  readonly keyFile?: string;
  readonly local?: boolean;
  readonly try?: boolean;
  readonly name: string;
  readonly folder?: string;
  readonly spoolMib: number;
  readonly interval: number;
}

const MIB = 1024 * 1024;

/** `pulse sensor` (decisions 10.9, docs/sensor.md): runs until it is stopped by SIGTERM or SIGINT. */
export function register(program: Command): void {
  program
    .command('sensor')
    .description('listen on TCP ports and report who scans them and who tries passwords (docs/sensor.md)')
    .option('--listen <ports>', `[PUBLIC:]PORT[/PROTOCOL],… with a protocol of ${SENSOR_PROTOCOLS.join(', ')}; default: the most scanned ports`, collect)
    .option('--host <address>', 'address to listen on; default: all of this machine')
    .option('--proxy-protocol <cidr>', 'load balancers that begin connections with a PROXY header (v1 or v2)', prefixes)
    .option('--ignore <cidr>', 'clients that are not evidence, such as your own monitors', prefixes)
    .option('--report <url>', 'send captures to the service at this address', serviceUrl)
    .option('--key-file <file>', 'file with the key for --report (pulse key create --send-only)')
    .option('--local', 'write captures into the evidence store of this installation')
    .option('--try', 'print what would be reported, and report nothing')
    .option('--name <source>', 'source of the captures', source, 'sensor')
    .option('--folder <path>', 'folder for secrets and spool; default: sensor in PULSE_DATA_DIR')
    .option('--spool-mib <mib>', 'room for captures that wait for delivery', whole(1, 1_048_576), 64)
    .option('--interval <seconds>', 'captures are folded and reported this often', whole(1, 3600), 10)
    .action(run);
}

async function run(flags: SensorFlags, command: Command): Promise<void> {
  const chosen = [flags.report, flags.local, flags.try].filter((one) => one !== undefined);
  if (chosen.length !== 1) command.error('error: choose one of --report URL, --local and --try');
  if (flags.report !== undefined && flags.keyFile === undefined) command.error('error: --report needs --key-file');
  const ports = flags.listen === undefined ? DEFAULT_LISTENING_PORTS : readListeningPorts(flags.listen);
  if (typeof ports === 'string') return command.error(`error: --listen: ${ports}`);
  const config = loadConfig(process.env, availableParallelism());
  const log = createLogger(config.logLevel);
  const folder = flags.folder ?? join(config.dataDir, 'sensor');
  const now = flags.report === undefined ? Date.now : steadyNow;
  const receiver = flags.try === true ? undefined : await receiverOf(flags, config, log);
  const sensor = await runSensor({
    listening: {
      ports,
      host: flags.host,
      skipTaken: flags.listen === undefined,
      proxies: flags.proxyProtocol ?? [],
      ignored: flags.ignore ?? [],
      intervalMs: flags.interval * 1000,
    },
    secrets: flags.try === true ? passingSecrets() : sensorSecrets(folder),
    now,
    log,
    report: receiver && { folder: join(folder, 'spool'), bytesMax: flags.spoolMib * MIB, receiver },
    print: (rows) => printLines(rows.trimEnd().split('\n')),
  });
  log.info({ ports: sensor.ports.map(({ port, protocol }) => `${port}/${protocol}`).join(' ') }, 'sensor listens');
  await stopRequested();
  await sensor.stop();
  // What still holds the process (a kept connection to the service) has nothing left to do.
  process.exit();
}

async function receiverOf({ report, keyFile, name }: SensorFlags, config: Config, log: Logger): Promise<CaptureReceiver> {
  if (report === undefined) {
    refuseDemoFolder(config);
    const data = await openDataFolder(config);
    await (await openHistory(config)).close();
    await data.settle();
    return new LocalReceiver(config, name);
  }
  const onSkew = (skewMs: number): void =>
    log.warn({ skew_ms: skewMs }, 'the clock of this machine differs from the service’s; times are put right before they are sent');
  return new HttpReceiver({ url: report, key: readKey(keyFile!), source: name, now: steadyNow, onSkew });
}

/** Wall-clock time of the start, and from then on a clock that no correction makes jump: the difference to the service's clock stays what it is. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

function readKey(path: string): string {
  const key = readFileSync(path, 'utf8').trim();
  if (/^\S{1,256}$/.test(key)) return key;
  throw new Error(`${path} does not hold one key`);
}

/** A second signal ends the process at once. */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (): void => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on('SIGTERM', ask);
    process.on('SIGINT', ask);
  });
}

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

function prefixes(text: string, before: readonly Prefix[] = []): readonly Prefix[] {
  const read = text.split(',').map((one) => parsePrefix(one.trim()));
  if (read.some((one) => one === undefined)) throw new InvalidArgumentError('expected addresses or CIDRs, separated by commas');
  return [...before, ...(read as readonly Prefix[])];
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('expected https://…, or http:// to this machine: the key would be readable on the way');
  return url.href.replace(/\/+$/, '');
}

function source(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('expected lower-case letters, digits, dots, dashes and underscores, at most 64');
}

const whole =
  (min: number, max: number) =>
  (text: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
  };
