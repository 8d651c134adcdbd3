import { COMMANDS } from './commands.ts';
import { runProgram } from './run-program.ts';

/** Entry of the command line. */
await runProgram({
  name: 'pulse',
  description: 'IP risk, geolocation and phone-number risk, on your own machine.',
  commands: COMMANDS,
});
