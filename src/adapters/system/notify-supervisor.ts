import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PATIENCE_MS = 5000;

/**
 * Tells systemd (`Type=notify`) that the service answers, and which process it is. Node has no datagram
 * sockets of the kind that systemd listens on, so its own program sends the message:
 * https://www.freedesktop.org/software/systemd/man/latest/systemd-notify.html
 * @throws Error when the program is missing or fails
 */
export async function notifySupervisor(): Promise<void> {
  await promisify(execFile)('systemd-notify', ['--ready', `--pid=${process.pid}`], { timeout: PATIENCE_MS });
}
