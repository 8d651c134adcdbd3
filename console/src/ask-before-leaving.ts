import { useEffect } from 'react';

/** Question before the page shown now is left; undefined: nothing would be lost. */
let question: string | undefined;

/** Asks before another page is opened, and before the browser closes or reloads this one, in its own words then. */
export function useAskBeforeLeaving(asked: string | undefined): void {
  useEffect(() => {
    if (asked === undefined) return;
    question = asked;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => {
      question = undefined;
      removeEventListener('beforeunload', stay);
    };
  }, [asked]);
}

/** Returns whether a link may be followed, after it asked the visitor where needed. */
export const mayLeave = (): boolean => question === undefined || confirm(question);
