import type { IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import type { Address } from '../../core/ip/address.ts';
import { verdictFacts } from '../../core/summary/verdict-facts.ts';
import type { LocalVerdicts } from './local-verdicts.ts';
import type { Judgement } from './summarize-block.ts';

export const SUMMARY_FIELDS: readonly FieldPath[] = ['geo.country'];

export class LocalFacts {
  readonly #verdicts: Pick<LocalVerdicts, 'documentOf' | 'isInClass' | 'classWords'>;
  readonly #judgements = new Map<number, Judgement>();

  /** @param verdicts must have classes that share `SUMMARY_FIELDS` */
  constructor(verdicts: Pick<LocalVerdicts, 'documentOf' | 'isInClass' | 'classWords'>) {
    this.#verdicts = verdicts;
  }

  of(address: Address): Judgement {
    const { classWords } = this.#verdicts;
    if (!this.#verdicts.isInClass(address)) return judgementOf(this.#verdicts.documentOf(address));
    const key = classWords[0]! * 2 ** 32 + classWords[1]!;
    const known = this.#judgements.get(key);
    if (known !== undefined) return known;
    const judged = judgementOf(this.#verdicts.documentOf(address));
    this.#judgements.set(key, judged);
    return judged;
  }
}

export const judgementOf = (document: object): Judgement =>
  'error' in document ? 'not_found' : verdictFacts(document as IPRisk | PulseIPRisk);
