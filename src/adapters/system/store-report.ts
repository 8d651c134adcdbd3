type Say = (fields: { readonly cause?: string; readonly since: string | undefined }) => void;

/** Returns what is told the cause at each look at a store: it says each change once, and since when. */
export function storeReport(store: object, away: Say, back: Say): (cause: string | undefined) => void {
  let since: string | undefined;
  let told: string | undefined;
  return (cause) => {
    if (cause === told) return;
    told = cause;
    if (cause === undefined) {
      back({ ...store, since });
      since = undefined;
      return;
    }
    since ??= new Date().toISOString();
    away({ ...store, cause, since });
  };
}
