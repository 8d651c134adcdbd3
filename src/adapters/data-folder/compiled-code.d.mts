/** Why the compiled code in a folder must not be used; undefined if it may be. */
export function checkCompiledCode(folder: string): string | undefined;
