import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { ConsoleAccount } from '../../../src/contract/console.ts';
import { forgetAllBatches } from '../bulk/kept-batches.ts';
import { ApiProblem, call, keepCsrf } from './call.ts';

interface SessionDocument {
  readonly account: ConsoleAccount;
  readonly csrf: string;
}

interface SessionValue {
  /** undefined: not asked yet; null: the visitor is not signed in. */
  readonly account: ConsoleAccount | null | undefined;
  /** Why it is not known yet who is signed in. It is asked again by itself. */
  readonly problem: ApiProblem | undefined;
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

const Context = createContext<SessionValue | undefined>(undefined);

/** The document says whether its cookie is a session, so that a visitor without one is not refused before doing anything. */
const saidSignedIn = document.querySelector<HTMLMetaElement>('meta[name="signed-in"]')?.content === 'yes';

/** Who is signed in, asked once when the page opens and again after every sign-in. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [account, setAccount] = useState<ConsoleAccount | null | undefined>(saidSignedIn ? undefined : null);

  const [problem, setProblem] = useState<ApiProblem>();

  const refresh = useCallback(async () => {
    try {
      const session = await call<SessionDocument>('GET', '/session');
      keepCsrf(session.csrf);
      setAccount(session.account);
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // Whether the visitor is signed in is unknown now: that is not the same as signed out.
      if (error.code === 'not_ready') {
        setProblem(error);
        return;
      }
      setProblem(undefined);
      keepCsrf(undefined);
      setAccount(null);
    }
  }, []);

  const signOut = useCallback(async () => {
    await call('POST', '/session/sign-out');
    forgetAllBatches();
    keepCsrf(undefined);
    setAccount(null);
  }, []);

  useEffect(() => {
    if (saidSignedIn) void refresh();
  }, [refresh]);

  useEffect(() => {
    if (problem === undefined) return;
    const again = setTimeout(() => void refresh(), (problem.extras.retry_after ?? 2) * 1000);
    return () => clearTimeout(again);
  }, [problem, refresh]);

  return <Context value={{ account, problem, refresh, signOut }}>{children}</Context>;
}

export function useSession(): SessionValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useSession outside SessionProvider');
  return value;
}
