import { networkInterfaces } from 'node:os';
import type { Command } from 'commander';
import { findAddresses } from '../../core/ip/find-addresses.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { languageOption } from '../language/language-of.ts';
import { say } from '../language/say.ts';
import { readerConfig } from '../reader-config.ts';
import { type LookupOptions, lookUp } from './lookup.ts';

/**
 * `pulse myip`. A machine behind address translation does not know the address that others see, and this
 * command asks no one.
 */
export function register(program: Command): void {
  program
    .command('myip')
    .description(
      'verdicts about the public addresses of this machine, as its interfaces have them; asks no other machine',
    )
    .option('--json', 'print JSON, also on a terminal')
    .addOption(languageOption())
    .action(run);
}

async function run(options: LookupOptions): Promise<void> {
  const held = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const addresses = findAddresses(held.join('\n')).addresses.filter((address) => !isReserved(address));
  if (addresses.length === 0)
    throw new Error(
      say(
        'the interfaces of this machine have no public address: it is behind address translation, and only a machine outside can say which address others see',
      ),
    );
  // This command lacks the option that the message of a lookup names.
  readerConfig({ hasPlaceOnly: false });
  await lookUp(addresses, options);
}
