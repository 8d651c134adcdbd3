import { chineseReader } from './chinese-of.ts';
import { FAULTS_ZH } from './faults-zh.ts';
import { READINGS_ZH } from './readings-zh.ts';

/** Chinese of a fault or remark that comes as English text: kept with a feed, from another thread, or as the message of a problem. */
export const chineseFault = chineseReader({ ...READINGS_ZH, ...FAULTS_ZH });
