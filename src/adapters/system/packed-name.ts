const PACKED = /\.(?:gz|zst)$/i;

export const unpackedName = (name: string): string => name.replace(PACKED, '');

export const packedNames = (name: string): readonly string[] => [name, `${name}.gz`, `${name}.zst`];
