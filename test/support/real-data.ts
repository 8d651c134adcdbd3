import { resolve } from 'node:path';

/** Data folder whose image of the shipped data is kept between runs; the service's own rules say when it is out of date. */
export const REAL_DATA = resolve(import.meta.dirname, '../../node_modules/.cache/pulse-tests/real-data');
