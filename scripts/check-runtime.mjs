// Compares the pinned Node binary with data/runtime.sha256. Runs on Node 20, before anything of the project runs on the binary.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { say } from './say.mjs';

const CHUNK_BYTES = 1 << 20;

/**
 * Why the binary may not run, or undefined when its SHA-256 is the one of data/runtime.sha256. 150 MB take about half a second to hash, so a match is noted in
 * node_modules, and until the file changes later starts compare the note alone. The note guards against a package that ships another binary than the Node
 * project did. It does not guard against a person who may write to node_modules: that person can change the service itself.
 */
export function checkRuntime(root, binary) {
  const path = relative(root, binary).split(sep).join('/');
  const expected = digestOf(readFileSync(join(root, 'data', 'runtime.sha256'), 'utf8'), path);
  if (expected === undefined) return say('data/runtime.sha256 has no line for {path}: nothing was started', { path });
  const { size, mtimeMs, ino } = statSync(binary);
  const note = `${expected} ${path} ${size} ${mtimeMs} ${ino}\n`;
  const noted = join(root, 'node_modules', '.pulse-runtime');
  if (readIfAny(noted) === note) return undefined;
  const found = sha256(binary);
  if (found !== expected)
    return say(
      'the SHA-256 of {path} is {found}, but data/runtime.sha256 has {expected}: nothing was started. Remove node_modules and run npm ci; if the digest stays, do not use this file, and set PULSE_NODE to a Node of your own',
      { path, found, expected },
    );
  keepNote(noted, note);
  return undefined;
}

/** The digest of `path` in a file as `sha256sum` writes it; lines that begin with # are comments. */
function digestOf(sums, path) {
  const line = sums.split('\n').find((one) => one.endsWith(`  ${path}`) && !one.startsWith('#'));
  return line?.slice(0, 64);
}

/** SHA-256 of a file in hexadecimal, read piece by piece. */
function sha256(file) {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
      hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

function readIfAny(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Written next to it and renamed. A checkout that this user may not write to keeps no note, and each start there hashes the binary. */
function keepNote(file, text) {
  const made = `${file}-${process.pid}`;
  try {
    writeFileSync(made, text);
    renameSync(made, file);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}
