import { existsSync } from 'node:fs';
import { openInput } from '../../adapters/log-files/open-input.ts';
import type { Address } from '../../core/ip/address.ts';
import { type FoundAddresses, findAddresses } from '../../core/ip/find-addresses.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { parsePathAddress } from '../../core/ip/parse-address.ts';
import { Problem } from '../../service/problem.ts';
import { faultText, say } from '../language/say.ts';
import { printNote } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

export interface AddressesRead {
  readonly addresses: readonly Address[];
  readonly unread: readonly string[];
}

/**
 * The addresses that words of a command line mean, each once: an address in any spelling, a file of any text,
 * `-` for standard input.
 * @throws the fault of the first word where no word has one
 */
export async function addressesIn(words: readonly string[]): Promise<AddressesRead> {
  const found = new Map<string, Address>();
  const unread: string[] = [];
  const faults: unknown[] = [];
  const take = (addresses: readonly Address[]): void => {
    for (const address of addresses) found.set(formatAddress(address), address);
  };
  for (const word of words) {
    const parsed = parsePathAddress(word);
    if (parsed.status === 'ok') take([parsed.address]);
    else {
      try {
        take(addressesOf(word, isFile(word) ? await textOf(word) : word));
      } catch (error) {
        stopRequested().throwIfAborted();
        faults.push(error);
        unread.push(error instanceof Problem ? say('not an address: {word}', { word }) : faultText(error));
      }
    }
  }
  if (faults.length > 0 && found.size === 0) throw faults[0];
  return { addresses: [...found.values()], unread };
}

export const isFile = (word: string): boolean => word === '-' || existsSync(word);

function addressesOf(word: string, text: string): FoundAddresses['addresses'] {
  const { addresses, networks } = findAddresses(text);
  const [network] = networks;
  if (addresses.length === 0 && network !== undefined)
    throw new Problem('invalid_ip', { detail: say('{network} is a network', { network: network.text }) });
  if (addresses.length === 0) throw new Problem('invalid_ip', word === text ? {} : { detail: word });
  if (networks.length > 0)
    printNote(say('left out: {networks} (networks)', { networks: networks.map((network) => network.text).join(', ') }));
  return addresses;
}

async function textOf(path: string): Promise<string> {
  const { chunks } = await openInput(path, stopRequested());
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
  return Buffer.concat(pieces).toString();
}
