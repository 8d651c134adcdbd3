/** The name an address is known by. */
export interface ShownAddress {
  /** The list of known services or research scanners that names it, in English and Chinese. */
  readonly known_as?: { readonly what: string; readonly what_zh: string; readonly scanner?: true };
  /** Why many people share it now. */
  readonly shared_by?: 'tor' | 'relay';
}

/**
 * Body of GET /console/api/names, public: names that pages show next to codes. Absent: there is none, or none
 * was asked for.
 */
export interface ShownNames {
  /** Registered names of AS numbers. */
  readonly as_names?: Readonly<Record<string, string>>;
  /** Addresses that are more than their document says. */
  readonly addresses?: Readonly<Record<string, ShownAddress>>;
  /** Chinese names of a division of mainland China and of those around it, by their GB/T 2260 codes. */
  readonly divisions?: Readonly<Record<string, string>>;
}
