import { parseJson } from '../../core/kit/json.ts';
import type { FilePlace } from './files.ts';

/** Names the current files and the previous ones, which are a fallback and may still be loading in a reader. */
export interface Pointer<Named> {
  readonly current?: Named;
  readonly before?: Named;
}

/**
 * - `parse`: returns undefined if the JSON is not a pointer. It must refuse names that could lead outside the place.
 * - `owns`: returns whether pointers of this kind ever named the file, or whether it is a part of such a file. Only
 *   owned files are removed.
 */
export interface PointerFormat<Named> {
  readonly name: string;
  parse(json: unknown): Pointer<Named> | undefined;
  print(pointer: Pointer<Named>): string;
  files(named: Named): readonly string[];
  owns(name: string): boolean;
}

/**
 * Tracks the current files of a place. The pointer is written after the files it names, so a reader never
 * meets an incomplete file.
 */
export class CurrentFiles<Named> {
  readonly #place: FilePlace;
  readonly #format: PointerFormat<Named>;

  constructor(place: FilePlace, format: PointerFormat<Named>) {
    this.#place = place;
    this.#format = format;
  }

  /**
   * Returns an empty pointer if there is none or if it is damaged: the files can be made again from other
   * data. It is cheap enough for a call every half second.
   */
  async read(): Promise<Pointer<Named>> {
    const text = await this.#place.text(this.#format.name);
    return (text === undefined ? undefined : this.#format.parse(parseJson(text))) ?? {};
  }

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

  /**
   * Makes files current that are complete and in their place. Naming the current ones again keeps the
   * previous ones.
   */
  async replace(named: Named): Promise<void> {
    const old = await this.read();
    const before = this.#names(old.current, named) ? old.before : old.current;
    const pointer = before === undefined ? { current: named } : { current: named, before };
    await this.#place.write(this.#format.name, new TextEncoder().encode(this.#format.print(pointer)));
    const keep = [named, before].flatMap((one) => (one === undefined ? [] : this.#format.files(one)));
    const there = (await this.#place.names?.()) ?? (old.before === undefined ? [] : this.#format.files(old.before));
    for (const name of there) if (this.#format.owns(name) && !keep.includes(name)) await this.#place.remove(name);
  }

  #names(one: Named | undefined, other: Named): boolean {
    return one !== undefined && this.#format.files(one).join() === this.#format.files(other).join();
  }
}
