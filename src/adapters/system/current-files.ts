import { parseJson } from '../../core/kit/json.ts';
import type { FilePlace } from './file-folder.ts';

/** Which files are current, and which were before them: a way back, and files a reader may still be loading. */
export interface Pointer<Named> {
  readonly current?: Named;
  readonly before?: Named;
}

/** How the pointers of one kind are kept. */
export interface PointerFormat<Named> {
  /** Name of the pointer's own file. */
  readonly name: string;
  /** The pointer in the parsed file; undefined: it is not a pointer. Names that could lead out of the place must not pass. */
  parse(json: unknown): Pointer<Named> | undefined;
  /** The file's text. A format may leave `before` out. */
  print(pointer: Pointer<Named>): string;
  files(named: Named): readonly string[];
  /** Whether a file is one that pointers of this kind name, now or once, or was left on the way to one. Only these are ever removed. */
  owns(name: string): boolean;
}

/** Says which files of a place are current. Written after the files it names: no reader meets half a file. */
export class CurrentFiles<Named> {
  readonly #place: FilePlace;
  readonly #format: PointerFormat<Named>;

  constructor(place: FilePlace, format: PointerFormat<Named>) {
    this.#place = place;
    this.#format = format;
  }

  /** Empty while nothing was ever current, and for a damaged pointer: the named files are made from other data. Cheap enough to ask every half second. */
  async read(): Promise<Pointer<Named>> {
    const text = await this.#place.text(this.#format.name);
    return (text === undefined ? undefined : this.#format.parse(parseJson(text))) ?? {};
  }

  /** Loads the current files, or the ones before where these cannot be used, which `refused` hears. */
  async firstUsable<Loaded>(
    load: (named: Named) => Promise<Loaded>,
    refused: (named: Named, error: Error) => void,
    pointer?: Pointer<Named>,
  ): Promise<{ readonly named: Named; readonly loaded: Loaded } | undefined> {
    const { current, before } = pointer ?? (await this.read());
    for (const named of [current, before]) {
      if (named === undefined) continue;
      try {
        return { named, loaded: await load(named) };
      } catch (error) {
        refused(named, error as Error);
      }
    }
    return undefined;
  }

  /** Makes files current that are in their place already, whole. Naming the current ones again leaves the ones before as they are. */
  async replace(named: Named): Promise<void> {
    const old = await this.read();
    const before = this.#names(old.current, named) ? old.before : old.current;
    const pointer = before === undefined ? { current: named } : { current: named, before };
    await this.#place.write(this.#format.name, new TextEncoder().encode(this.#format.print(pointer)));
    const keep = [named, before].flatMap((one) => (one === undefined ? [] : this.#format.files(one)));
    // Where names are not to be had, only the names of the old pointer are known.
    const there = (await this.#place.names?.()) ?? (old.before === undefined ? [] : this.#format.files(old.before));
    for (const name of there) if (this.#format.owns(name) && !keep.includes(name)) await this.#place.remove(name);
  }

  #names(one: Named | undefined, other: Named): boolean {
    return one !== undefined && this.#format.files(one).join() === this.#format.files(other).join();
  }
}
