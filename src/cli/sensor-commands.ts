import type { CommandTable } from './command-table.ts';

export const SENSOR_COMMANDS: CommandTable = {
  sensor: {
    summary: 'listen for scanners and password guessers, and report them',
    load: () => import('./commands/sensor.ts'),
  },
  follow: {
    summary: 'read a log as it grows, and report who scans and who tries passwords (docs/follow.md)',
    load: () => import('./commands/evidence-follow.ts'),
  },
};
