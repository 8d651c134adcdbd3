import type { HelpConfiguration } from 'commander';
import help from '../../../data/texts/help.zh.json' with { type: 'json' };
import { WIDE, widthOf } from '../../core/report/verdict-lines.ts';
import { chineseReader } from './library-texts.ts';

export function chineseHelp(): HelpConfiguration {
  const read = chineseReader(help);
  /** The library appends choices and a default to a description. */
  const described = (text: string): string => {
    const [, own = text, extra = ''] = /^(.*?) ?\(((?:choices|default): .*)\)$/s.exec(text) ?? [];
    const words = extra.replace('choices: ', '可选：').replace('default: ', '默认：').replaceAll('", 默认', '"；默认');
    const chinese = read(own);
    return chinese === own ? read(text) : `${chinese}${words === '' ? '' : `（${words}）`}`;
  };
  return {
    styleCommandDescription: described,
    styleSubcommandDescription: described,
    styleOptionDescription: described,
    styleArgumentDescription: described,
    displayWidth: widthOf,
    boxWrap: wrap,
  };
}

/** A word, or one wide sign, with the signs next to it that must not end or begin a line. */
const PIECE = new RegExp(`（?(?:${WIDE.source}|(?:(?!${WIDE.source})\\S)+)[，。；：、）]*\\s*`, 'gu');

function wrap(text: string, columns: number): string {
  const lines = [''];
  for (const piece of text.match(PIECE) ?? []) {
    const line = lines.at(-1)!;
    if (line !== '' && widthOf(line + piece.trimEnd()) > columns) lines.push(piece);
    else lines[lines.length - 1] = line + piece;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}
