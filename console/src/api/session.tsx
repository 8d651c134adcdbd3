import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { ConsoleAccount } from '../../../src/contract/console.ts';
import { ApiProblem, call, keepCsrf, keepSessionEnd } from './call.ts';
import { forgetVisitor, noteSignedIn } from './forget-visitor.ts';

interface SessionDocument {
  readonly account: ConsoleAccount;
  readonly csrf: string;
  /** An operator without a second factor. */
  readonly lacks_factor?: true;
  readonly of_company?: true;
}

interface SessionValue {
  /** undefined: not asked yet; null: the visitor is not signed in. */
  readonly account: ConsoleAccount | null | undefined;
  /** Says why it is not known yet who is signed in; the page asks again by itself. */
  readonly problem: ApiProblem | undefined;
  /** @param options.arrived the visitor has just signed in */
  readonly refresh: (options?: { readonly arrived?: boolean }) => Promise<void>;
  readonly signOut: () => Promise<void>;
  readonly signOutEverywhere: () => Promise<void>;
  /** The visitor signed in at the company's provider, which then stands in for the password. */
  readonly ofCompany: boolean;
  /** A second factor is offered to an operator who has just signed in without one. */
  readonly offersFactor: boolean;
  readonly putFactorOff: () => void;
}

const Context = createContext<SessionValue | undefined>(undefined);

/**
 * The document says whether its cookie is a session, so that a visitor without one is not refused before
 * doing anything.
 */
const saidSignedIn = document.querySelector<HTMLMetaElement>('meta[name="signed-in"]')?.content === 'yes';
// This happens before anything is shown: the session of the person who looked these addresses up has ended since.
if (!saidSignedIn) forgetVisitor();

function forget(): void {
  forgetVisitor();
  keepCsrf(undefined);
}

/** Asks who is signed in once when the page opens and again after every sign-in. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [account, setAccount] = useState<ConsoleAccount | null | undefined>(saidSignedIn ? undefined : null);

  const [problem, setProblem] = useState<ApiProblem>();

  const [offersFactor, setOffersFactor] = useState(false);

  const [ofCompany, setOfCompany] = useState(false);

  const leave = useCallback(() => {
    forget();
    setAccount(null);
  }, []);

  const refresh = useCallback(async ({ arrived = false } = {}) => {
    try {
      const session = await call<SessionDocument>('GET', '/session');
      keepCsrf(session.csrf);
      noteSignedIn();
      setAccount(session.account);
      setOfCompany(session.of_company === true);
      setOffersFactor(arrived && session.lacks_factor === true);
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // It is unknown now who is signed in, which is not the same as signed out.
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
    leave();
  }, [leave]);

  const signOutEverywhere = useCallback(async () => {
    await call('DELETE', '/sessions');
    leave();
  }, [leave]);

  // The page stays, so that it can say that the session has ended and lead back here after the next sign-in.
  useEffect(() => {
    keepSessionEnd(forget);
    return () => keepSessionEnd(undefined);
  }, []);

  useEffect(() => {
    if (saidSignedIn) void refresh();
  }, [refresh]);

  useEffect(() => {
    if (problem === undefined) return;
    const again = setTimeout(() => void refresh(), (problem.extras.retry_after ?? 2) * 1000);
    return () => clearTimeout(again);
  }, [problem, refresh]);

  const putFactorOff = useCallback(() => setOffersFactor(false), []);
  const value = { account, problem, refresh, signOut, signOutEverywhere, ofCompany, offersFactor, putFactorOff };
  return <Context value={value}>{children}</Context>;
}

export function useSession(): SessionValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useSession outside SessionProvider');
  return value;
}
