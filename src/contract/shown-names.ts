/**
 * Body of GET /console/api/names, public: names that pages show next to codes. Absent: there is none, or none
 * was asked for.
 */
export interface ShownNames {
  /** Registered names of AS numbers. */
  readonly as_names?: Readonly<Record<string, string>>;
  /** The list of known services or research scanners that names an address, in English and Chinese. */
  readonly known_as?: { readonly what: string; readonly what_zh: string; readonly scanner?: true };
  /** Chinese names of a division of mainland China and of those around it, by their GB/T 2260 codes. */
  readonly divisions?: Readonly<Record<string, string>>;
}
