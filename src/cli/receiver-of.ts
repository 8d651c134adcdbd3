import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { senderNameFault } from '../adapters/feeds/catalogue.ts';
import { HttpReceiver } from '../adapters/receiver/http-receiver.ts';
import type { Logger } from '../adapters/system/create-logger.ts';
import { type Config, isLoopbackHost } from '../config.ts';
import type { Prefix } from '../core/ip/address.ts';
import { parsePrefix } from '../core/ip/prefix.ts';
import type { CaptureReceiver } from '../service/intake/intake-ports.ts';
import { say } from './language/say.ts';

export interface ReportFlags {
  readonly report?: string;
  readonly keyFile?: string;
  readonly local?: boolean;
  readonly try?: boolean;
}

export function withReportOptions(command: Command, hasStore: boolean): Command {
  if (hasStore) command.option('--local', 'write captures into the evidence store of this installation');
  return command
    .option('--ignore <cidr>', 'clients that are not evidence, such as your own monitors', prefixes)
    .option('--report <url>', 'send captures to the service at this address', serviceUrl)
    .option('--key-file <file>', 'file with the key for --report (pulse key create --send-only --source NAME)')
    .option('--try', 'print what would be reported, and report nothing')
    .option('--spool-mib <mib>', 'room for captures that wait for delivery', wholeFrom(1, 1_048_576), 64)
    .option('--interval <seconds>', 'captures are folded and reported this often', wholeFrom(1, 3600), 10);
}

export function checkReportFlags({ report, keyFile, local, try: isTrial }: ReportFlags, command: Command): void {
  const chosen = [report, local, isTrial].filter((one) => one !== undefined);
  if (chosen.length !== 1) command.error(say('error: choose one of --report URL, --local and --try'));
  if (report !== undefined && keyFile === undefined) command.error(say('error: --report needs --key-file'));
}

export interface ReceiverUse {
  readonly source: string;
  readonly config: Config;
  readonly log: Logger;
  /** The clock that captures are timed with, Unix milliseconds. */
  readonly now: () => number;
}

export async function receiverOf(
  { report, keyFile, try: isTrial }: ReportFlags,
  { source, config, log, now }: ReceiverUse,
): Promise<CaptureReceiver | undefined> {
  if (isTrial === true) return undefined;
  if (report === undefined) return await (await import('./open-local-receiver.ts')).openLocalReceiver(config, source);
  const onSkew = (skewMs: number): void =>
    log.warn(
      { skew_ms: skewMs },
      'the clock of this machine differs from the service’s; times are put right before they are sent',
    );
  return new HttpReceiver({ url: report, key: readKey(keyFile!), source, now, onSkew });
}

export function readKey(path: string): string {
  const key = readFileSync(path, 'utf8').trim();
  if (/^\S{1,256}$/.test(key)) return key;
  throw new Error(say('{path} does not hold one key', { path }));
}

export function prefixes(text: string, before: readonly Prefix[] = []): readonly Prefix[] {
  const read = text.split(',').map((one) => parsePrefix(one.trim()));
  if (read.some((one) => one === undefined))
    throw new InvalidArgumentError(say('expected addresses or CIDRs, separated by commas'));
  return [...before, ...(read as readonly Prefix[])];
}

/** Address of a service, without a trailing slash. @throws InvalidArgumentError */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError(
      say('expected https://…, or http:// to this machine: the key would be readable on the way'),
    );
  return url.href.replace(/\/+$/, '');
}

export function sourceName(text: string): string {
  const fault = senderNameFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(say(fault));
}

export const wholeFrom =
  (min: number, max: number) =>
  (text: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(say('expected a whole number from {min} to {max}', { min, max }));
  };
