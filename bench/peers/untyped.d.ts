/** Peers that are installed by bench/run.ts alone: their types are not there when this project is checked. */
declare module 'maxmind';
declare module 'rate-limiter-flexible';
