/** Flags of Node that the service is started with. */
export const NODE_FLAGS: readonly string[];
