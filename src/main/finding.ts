import { type Said, said } from '../core/texts/said.ts';

export interface Finding {
  readonly subject: 'data folder' | 'settings' | 'port' | 'stores' | 'machine' | 'versions' | 'place data' | 'feeds';
  /** `fault`: a start is refused, or what a setting names does not work. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: Said;
}

/** A subject without remarks is in order, and has one finding that says so. */
export const remarks = (subject: Finding['subject'], texts: readonly Said[]): readonly Finding[] =>
  texts.length === 0
    ? [{ subject, state: 'ok', text: said('in order') }]
    : texts.map((text) => ({ subject, state: 'warning', text }));
