import { type AddressColumns, TEXT_KIND } from '../../core/ip/address-columns.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { ByteWriter } from '../../core/kit/byte-writer.ts';
import type { BulkLookup, LocatedAddresses } from '../../engine/bulk-lookup.ts';
import type { EmptyVerdicts } from './empty-verdicts.ts';

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
