const PACKED = /\.(?:gz|zst)$/i;

/** Name of a file without the ending of its packing. */
export const unpackedName = (name: string): string => name.replace(PACKED, '');

/** Names under which a file may lie in a mirror. */
export const packedNames = (name: string): readonly string[] => [name, `${name}.gz`, `${name}.zst`];
