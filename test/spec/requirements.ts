import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Requirement {
  readonly id: string;
  readonly area: string;
  readonly text: string;
}

/**
 * The interface specification (docs/interface.md) as a list of requirements, part by part: a line of
 * requirements.txt is area, id and text. A test cites the ones it holds the service to with `covers('ID', …)`; a
 * run of the whole suite fails on one that no passed test cites (check-coverage.ts). interface-rows.txt ties each
 * sentence of the interface to its requirements: these are in our words, and the sentence is the authority.
 */
export const REQUIREMENTS: readonly Requirement[] = readFileSync(join(import.meta.dirname, 'requirements.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
  .map((line) => {
    const [, area = '', id = '', text = ''] = /^([a-z-]+) (\S+) (.+)$/.exec(line) ?? assert.fail(line);
    return { area, id, text };
  });
