/** Flags of Node that the service is started with. */
export const NODE_FLAGS: readonly string[];
/** Those of every other command. */
export const COMMAND_FLAGS: readonly string[];
/** Bytes from which on blocks of memory are given back when they are free. */
export const LARGE_BLOCK: number;
