export const PART_NAMES: readonly string[];
/** Every test file, relative to the root. */
export function testFiles(): readonly string[];
export function partOf(file: string): string;
export function leadsTo(start: string, wanted: (file: string) => boolean): boolean;
