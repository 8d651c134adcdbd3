/** Why the compiled code in a folder must not be used; undefined if it may be. */
export function checkCompiledCode(folder: string): string | undefined;

/** The environment in which Node uses the trusted compiled code of the data folder; empty without any. */
export function compiledCode(cwd: string): { readonly NODE_COMPILE_CACHE?: string };
