import { Option } from 'commander';
import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import { WHICH } from '../../core/logs/line-format.ts';
import { seenAddressText } from '../../core/report/report-words.ts';
import { say } from '../language/say.ts';
import { printNote } from '../terminal/print.ts';

/** `--which`, of the commands that read files of lines. */
export const whichOption = (): Option =>
  new Option(
    '--which <one>',
    'with --format any: which address of several on a line; the first and last are public ones',
  ).choices(WHICH);

export const PARTIAL = 'take a file of which most lines have no address; else that is an error';

/** Says which address of a line was read, which others are there, and how to choose. */
export function noteDoubt({ taken, others }: SummaryDoubt): void {
  const [other] = others;
  const read = seenAddressText(taken);
  const list = others.map(seenAddressText).join(', ');
  if (other === undefined)
    printNote(say('nothing says that {read} is the client; it is the only address there', { read }));
  else if (other.name === '' || other.name === taken.name)
    printNote(say('read {read}; also there: {others}; --which first, last or all chooses', { read, others: list }));
  else
    printNote(
      say('read {read}; also there: {others}; choose with --field {other}, or --which first, last or all', {
        read,
        others: list,
        other: other.name,
      }),
    );
}
