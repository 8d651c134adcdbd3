import { isRecord, parseJsonBytes } from '../../../core/kit/json.ts';
import type { ConsoleLanguage } from '../../../core/oauth/oauth-addresses.ts';
import { MINUTE_MS } from '../../../core/units.ts';
import type { SecretBox } from '../../../service/sign-in/secret-box.ts';
import type { SignOnChecks } from '../../../service/sign-in/sign-in-ports.ts';
import { hostCookie } from '../session/cookies.ts';

/** A sign-in that its browser has begun and will bring back from the provider. */
export interface OpenSignOn {
  readonly checks: SignOnChecks;
  readonly language: ConsoleLanguage;
  readonly next: string;
  readonly fresh: boolean;
  /** The session whose holder proves themselves again; absent for a sign-in. */
  readonly sessionId?: string;
}

export interface SignOnCookie {
  set(open: OpenSignOn, at: number): string;
  clear(): string;
  /** Returns undefined for a cookie that is missing, expired or not sealed by this deployment. */
  read(header: string | undefined, at: number): OpenSignOn | undefined;
}

/** People look for a phone or a key at the provider. */
const OPEN_MS = 10 * MINUTE_MS;

/** Every node with the secret of the deployment opens the cookie. @param baseUrl public address */
export function signOnCookie(baseUrl: string, box: SecretBox): SignOnCookie {
  const cookie = hostCookie(baseUrl, 'pulse_company');
  const { name } = cookie;
  return {
    clear: cookie.clear,
    set(open, at) {
      const sealed = box.seal(Buffer.from(JSON.stringify({ ...open, expiresAt: at + OPEN_MS })), name);
      return cookie.set(sealed, OPEN_MS / 1000);
    },
    read(header, at) {
      const sealed = cookie.read(header);
      const bytes = sealed === undefined ? undefined : opened(box, sealed, name);
      const open = bytes === undefined ? undefined : parseJsonBytes(bytes);
      return isRecord(open) && Number(open['expiresAt']) > at ? (open as unknown as OpenSignOn) : undefined;
    },
  };
}

/** A cookie that somebody else wrote does not open; the browser then begins again. */
function opened(box: SecretBox, sealed: string, name: string): Uint8Array | undefined {
  try {
    return box.open(sealed, name);
  } catch {
    return undefined;
  }
}
