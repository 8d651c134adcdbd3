import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';

export const DEMO_FILE = 'THIS-IS-A-DEMONSTRATION';

export const isDemoFolder = ({ dataDir }: Pick<Config, 'dataDir'>): boolean => existsSync(join(dataDir, DEMO_FILE));
