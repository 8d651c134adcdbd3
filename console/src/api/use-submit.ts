import { type FormEvent, useState } from 'react';
import { ApiProblem } from './call.ts';

/** Parts of a form's work for `Form`. */
export interface Submit {
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  readonly onSubmit: (event?: FormEvent) => void;
}

/** Runs a form's work once at a time and keeps the refusal, if there is one. */
export function useSubmit(work: () => Promise<void>): Submit {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem('internal_error', String(error)));
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    problem,
    onSubmit: (event) => {
      event?.preventDefault();
      if (!busy) void run();
    },
  };
}
