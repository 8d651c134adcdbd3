/** A real Chromium for tests: Debian's, installed when it is missing and apt-get may be used; otherwise the reason to skip. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const find = (): string | undefined => PATHS.find((path) => existsSync(path));

/** As a root user in a container, and silent towards the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function startChromium(): Promise<Browser | { readonly skip: string }> {
  const path = find() ?? install();
  if (path === undefined) return { skip: 'Chromium is not installed and cannot be installed here' };
  return await chromium.launch({ executablePath: path, headless: true, args: FLAGS });
}

function install(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: 'ignore',
      timeout: 240_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  if (apt('install', '-y', '--no-install-recommends', 'chromium').status !== 0) {
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'chromium');
  }
  return find();
}
