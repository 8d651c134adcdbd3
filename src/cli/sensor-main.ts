/** Entry of the sensor's own package, made by scripts/pack-sensor.mjs. */
import { runProgram } from './run-program.ts';
import { SENSOR_COMMANDS } from './sensor-commands.ts';

await runProgram({
  name: 'pulse-sensor',
  description: 'Traps and log followers that report to a Pulse service.',
  commands: SENSOR_COMMANDS,
});
