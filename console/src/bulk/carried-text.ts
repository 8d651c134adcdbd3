const NAME = 'pulse-carried';

/** Keeps a text for the bulk page of this tab, also while the reader signs in. It goes into no address. */
export function carryText(text: string): void {
  try {
    sessionStorage.setItem(NAME, text);
  } catch {
    // The page begins empty where there is no room, or the reader forbids it.
  }
}

export function carriedText(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export function forgetCarriedText(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing was kept.
  }
}
