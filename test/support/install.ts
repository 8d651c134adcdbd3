import { spawnSync } from 'node:child_process';

/** Another test process may be installing. */
const PATIENT = ['-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs a Debian package when this is root on a system with apt-get, and then looks for the program again.
 */
export function install<Found>(debianPackage: string, find: () => Found | undefined): Found | undefined {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return undefined;
  const options = {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 180_000,
  } as const;
  const attempt = (): boolean =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...PATIENT, debianPackage], options).status === 0;
  if (!attempt()) {
    spawnSync('apt-get', ['update'], options);
    attempt();
  }
  return find();
}
