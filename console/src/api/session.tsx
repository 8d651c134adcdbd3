import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { ConsoleAccount } from '../../../src/contract/console.ts';
import { ApiProblem, call, keepCsrf } from './console.ts';

interface SessionDocument {
  readonly account: ConsoleAccount;
  readonly csrf: string;
}

interface SessionValue {
  /** undefined: not asked yet; null: nobody is signed in. */
  readonly account: ConsoleAccount | null | undefined;
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

const Context = createContext<SessionValue | undefined>(undefined);

/** The document says whether its cookie is a session, so that a visitor without one is not refused before doing anything. */
const saidSignedIn = document.querySelector<HTMLMetaElement>('meta[name="signed-in"]')?.content === 'yes';

/** Who is signed in, asked once when the page opens and again after every sign-in. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [account, setAccount] = useState<ConsoleAccount | null | undefined>(saidSignedIn ? undefined : null);

  const refresh = useCallback(async () => {
    try {
      const session = await call<SessionDocument>('GET', '/session');
      keepCsrf(session.csrf);
      setAccount(session.account);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      keepCsrf(undefined);
      setAccount(null);
    }
  }, []);

  const signOut = useCallback(async () => {
    await call('POST', '/session/sign-out');
    keepCsrf(undefined);
    setAccount(null);
  }, []);

  useEffect(() => {
    if (saidSignedIn) void refresh();
  }, [refresh]);

  return <Context value={{ account, refresh, signOut }}>{children}</Context>;
}

export function useSession(): SessionValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useSession outside SessionProvider');
  return value;
}
