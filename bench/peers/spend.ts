/** Programs over files of lines, side by side: cost of each whole process. Needs GNU time. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { isReserved } from '../../src/core/ip/special-purpose.ts';

export interface Spent {
  readonly wallSec: number;
  readonly cpuSec: number;
  readonly peakMib: number;
}

/** Runs a command to its end. @throws Error when it fails */
export function spend(command: readonly string[], env: Readonly<Record<string, string>> = {}): Spent {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', 'spent %e %U %S %M', ...command], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [, wall, user, system, kib] = /spent ([\d.]+) ([\d.]+) ([\d.]+) (\d+)/.exec(stderr) ?? [];
  if (status !== 0 || kib === undefined) throw new Error(`${command.join(' ')} failed: ${stderr.slice(-500)}`);
  return { wallSec: Number(wall), cpuSec: Number(user) + Number(system), peakMib: Number(kib) / 1024 };
}

/** Runs all of them so many times in turns, the order reversed every other round. */
export function spendInTurns<One extends { readonly command: (file: string) => readonly string[] }>(
  all: readonly One[],
  file: string,
  rounds: number,
  env: Readonly<Record<string, string>>,
): ReadonlyMap<One, readonly Spent[]> {
  const spent = new Map<One, Spent[]>(all.map((one) => [one, []]));
  for (let round = 0; round < rounds; round++)
    for (const one of round % 2 === 0 ? all : all.toReversed()) spent.get(one)!.push(spend(one.command(file), env));
  return spent;
}

export const isInstalled = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** A public IPv4 address. @param random numbers of 32 bits */
export function publicAddress(random: () => number): string {
  for (;;) {
    const address = { family: 4, w0: random(), w1: 0, w2: 0, w3: 0 } as const;
    if (!isReserved(address)) return formatAddress(address);
  }
}

export async function writeLines(path: string, lines: number, lineOf: (i: number) => string): Promise<void> {
  const file = createWriteStream(path);
  for (let i = 0; i < lines; ) {
    let text = '';
    for (const end = Math.min(lines, i + 10_000); i < end; i++) text += `${lineOf(i)}\n`;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
