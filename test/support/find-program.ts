import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { install } from './install.ts';

/**
 * Returns the path of a program of Debian, whose package is installed where that is possible; undefined if it
 * cannot be had here.
 */
export function findProgram(name: string, debianPackage: string): string | undefined {
  const find = (): string | undefined =>
    [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/lib/podman']
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path));
  return find() ?? install(debianPackage, find);
}
