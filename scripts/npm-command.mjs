/** Words that begin a call of npm: the npm that runs this script, else the one on the path. */
export function npmCommand() {
  const running = process.env.npm_execpath;
  return running ? [process.execPath, running] : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}
