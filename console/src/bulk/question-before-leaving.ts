interface BulkAnswers {
  readonly phase: string;
  /** The browser keeps none of them. */
  readonly unkept: boolean;
  readonly summary: object | undefined;
}

/**
 * The message that asks before the page is left; undefined: nothing would be lost.
 * @param isSaved whether all answers were downloaded
 */
export function questionBeforeLeaving(
  { phase, unkept, summary }: BulkAnswers,
  isSaved: boolean,
): 'leave' | 'leaveLost' | 'unkept' | undefined {
  if (phase === 'running') return unkept ? 'leaveLost' : 'leave';
  return phase === 'ended' && unkept && summary !== undefined && !isSaved ? 'unkept' : undefined;
}
