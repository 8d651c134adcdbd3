/**
 * Finds a real Chromium for tests: Debian's, installed when it is missing and apt-get may be used; otherwise
 * the reason to skip.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { install } from './install.ts';

/** The shell is the same engine without windows: a page takes a fifth of the processor time. */
const SHELL = ['/usr/bin/chromium-headless-shell'];
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const find = (paths: readonly string[]) => (): string | undefined => paths.find((path) => existsSync(path));

/** The tests may run as root in a container, and the browser must be silent towards the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page of a test lives for seconds. Its scripts do not earn the time of the two slowest compilers, which is
  // a tenth of the whole.
  '--js-flags=--no-opt --no-maglev',
];

export async function startChromium(): Promise<Browser | { readonly skip: string }> {
  const path =
    find(SHELL)() ??
    install('chromium-headless-shell', find(SHELL)) ??
    find(BROWSERS)() ??
    install('chromium', find(BROWSERS));
  if (path === undefined) return { skip: 'Chromium is not installed and cannot be installed here' };
  return await chromium.launch({ executablePath: path, headless: true, args: FLAGS });
}
