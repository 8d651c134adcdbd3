/** Flags of Node that the service is started with. */
export const SERVE_FLAGS: readonly string[];
