import { dirname, join } from 'node:path';

/** Words that begin a call of npm: the npm that runs this script, else the one on the path. Windows has it beside Node, and starts no `npm.cmd` without a shell. */
export function npmCommand() {
  const running = process.env.npm_execpath;
  if (running) return [process.execPath, running];
  if (process.platform !== 'win32') return ['npm'];
  return [process.execPath, join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')];
}
