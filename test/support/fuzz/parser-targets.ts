import { FEED_TARGETS } from './feed-targets.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { LAYER_TARGETS } from './layer-targets.ts';
import { LOG_TARGETS } from './log-targets.ts';
import { SENSOR_TARGETS } from './sensor-targets.ts';
import { STORE_TARGETS } from './store-targets.ts';
import { TEXT_TARGETS } from './text-targets.ts';

/**
 * Covers every parser of bytes that come from outside: lists, layers, images and files of the data folder,
 * and text of callers.
 */
export const PARSER_TARGETS: readonly FuzzTarget[] = [
  ...FEED_TARGETS,
  ...LAYER_TARGETS,
  ...LOG_TARGETS,
  ...SENSOR_TARGETS,
  ...STORE_TARGETS,
  ...TEXT_TARGETS,
];
