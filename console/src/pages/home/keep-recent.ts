const NAME = 'pulse-recent';
const KEPT_MAX = 20;

/** A browser may keep nothing, or another program may have written there. */
export function recentAddresses(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

/** Keeps an address that has a verdict, as the newest. */
export function keepRecent(ip: string): void {
  const kept = [ip, ...recentAddresses().filter((one) => one !== ip)].slice(0, KEPT_MAX);
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // Nothing is kept where there is no room, or the reader forbids it.
  }
}

export function forgetRecent(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Nothing was kept.
  }
}
