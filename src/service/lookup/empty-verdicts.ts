import { type AddressColumns, TEXT_KIND } from '../../core/ip/address-columns.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { ByteWriter } from '../../core/kit/byte-writer.ts';
import type { BulkLookup, LocatedAddresses } from '../../engine/bulk-lookup.ts';
import type { NetworkFacts } from '../ports.ts';
import { type DocumentHead, isNetworkKnown } from './lookup-ip.ts';

const SLOTS = 1 << 16;

type MakeHead = (network: NetworkFacts, family: 4 | 6) => DocumentHead;
type NetworkTable = BulkLookup['networks'];

/**
 * Heads of documents about addresses without captures, by network record: one of a few texts before the time,
 * and the record's own bytes after it. A head is made at the first request for its network; each record has
 * one slot.
 */
export class EmptyVerdicts {
  readonly view: DataView<ArrayBuffer>;
  readonly untilTime: string[] = [];
  readonly #make: MakeHead;
  readonly #networks: NetworkTable;
  readonly #width: number;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #keys = new Int32Array(SLOTS).fill(-1);
  readonly #untilTimes = new Uint8Array(SLOTS);
  readonly #sizes = new Uint8Array(SLOTS);
  readonly #isKnown = new Uint8Array(SLOTS);

  constructor(networks: NetworkTable, make: MakeHead, width: number) {
    this.#networks = networks;
    this.#make = make;
    this.#width = width;
    this.#bytes = new Uint8Array(SLOTS * width);
    this.view = new DataView(this.#bytes.buffer);
  }

  /**
   * Returns the slot of a network's head, valid until the next call; -1 for a head that is too long to keep.
   */
  slotOf(network: number, family: 4 | 6): number {
    const key = family === 6 ? network | FAMILY_6 : network;
    const slot = family === 6 ? (network ^ (SLOTS >> 1)) & (SLOTS - 1) : network & (SLOTS - 1);
    return this.#keys[slot] === key ? slot : this.#enter(slot, key, this.#networks.facts(network), family);
  }

  untilTimeOf(slot: number): number {
    return this.#untilTimes[slot]!;
  }

  startOf(slot: number): number {
    return slot * this.#width;
  }

  sizeOf(slot: number): number {
    return this.#sizes[slot]!;
  }

  isKnown(slot: number): boolean {
    return this.#isKnown[slot] === 1;
  }

  #enter(slot: number, key: number, network: NetworkFacts, family: 4 | 6): number {
    const { untilTime, afterTime } = this.#make(network, family);
    const bytes = Buffer.from(afterTime);
    if (bytes.length > this.#width) return -1;
    this.#bytes.set(bytes, this.startOf(slot));
    this.#sizes[slot] = bytes.length;
    this.#untilTimes[slot] = this.#numberOf(untilTime);
    this.#isKnown[slot] = network.json !== undefined || isNetworkKnown(network) ? 1 : 0;
    this.#keys[slot] = key;
    return slot;
  }

  #numberOf(untilTime: string): number {
    const known = this.untilTime.indexOf(untilTime);
    return known < 0 ? this.untilTime.push(untilTime) - 1 : known;
  }
}

const FAMILY_6 = 1 << 30;

export function keepHeads(make: MakeHead, width: 64 | 128): (networks: NetworkTable) => EmptyVerdicts {
  const byTable = new WeakMap<NetworkTable, EmptyVerdicts>();
  return (networks) => {
    const kept = byTable.get(networks) ?? new EmptyVerdicts(networks, make, width);
    byTable.set(networks, kept);
    return kept;
  };
}

interface Fragment {
  readonly view: DataView;
  readonly size: number;
}

function fragment(text: string): Fragment {
  const bytes = Buffer.from(text);
  const view = new DataView(new ArrayBuffer(bytes.length + ByteWriter.SLACK));
  new Uint8Array(view.buffer).set(bytes);
  return { view, size: bytes.length };
}

const OPENING = fragment('{"ip":"');
const PLACE = fragment(',"geo":');
const ADDRESS_ROOM = 48;

export class UnseenWriter {
  readonly #writer: ByteWriter;
  readonly #heads: EmptyVerdicts;
  readonly #placeBytes: DataView;
  readonly #time: string;
  readonly #untilTime: (Fragment | undefined)[] = [];
  readonly #tail: Fragment;

  constructor(
    writer: ByteWriter,
    bulk: BulkLookup,
    { heads, time, tail }: { readonly heads: EmptyVerdicts; readonly time: string; readonly tail: string },
  ) {
    this.#writer = writer;
    this.#heads = heads;
    this.#placeBytes = bulk.placeBytes;
    this.#time = time;
    this.#tail = fragment(tail);
  }

  /** @returns false, with nothing written, where the head cannot be kept and the single lookup must answer */
  write(addresses: AddressColumns, i: number, located: LocatedAddresses, at: number): boolean {
    const writer = this.#writer;
    const heads = this.#heads;
    const family = addresses.kinds[i] === TEXT_KIND.ipv6 ? 6 : 4;
    const size = located.placeSizes[at]!;
    const slot = heads.slotOf(located.networks[at]!, family);
    if (slot < 0 || (size === 0 && !heads.isKnown(slot))) return false;
    const tail = this.#tail;
    const untilTime = this.#untilTimeOf(slot);
    const afterTime = heads.sizeOf(slot);
    writer.room(OPENING.size + ADDRESS_ROOM + untilTime.size + afterTime + PLACE.size + size + tail.size);
    writer.copy(OPENING.view, 0, OPENING.size);
    if (family === 4) writer.ipv4(addresses.w0[i]!);
    else writer.text(formatAddress(addresses.at(i)!));
    writer.copy(untilTime.view, 0, untilTime.size);
    writer.copy(heads.view, heads.startOf(slot), afterTime);
    if (size > 0) {
      writer.copy(PLACE.view, 0, PLACE.size);
      writer.copy(this.#placeBytes, located.placeStarts[at]!, size);
    }
    writer.copy(tail.view, 0, tail.size);
    return true;
  }

  #untilTimeOf(slot: number): Fragment {
    const number = this.#heads.untilTimeOf(slot);
    const made = this.#untilTime[number] ?? fragment(this.#heads.untilTime[number]! + this.#time);
    this.#untilTime[number] = made;
    return made;
  }
}
