import { setImmediate } from 'node:timers/promises';

/** What the slow lane is made of, one large library or two a piece. */
const PIECES: readonly (() => Promise<unknown>)[] = [
  () => import('../../adapters/database/open-database.ts'),
  () => import('../../apps/http/app.ts'),
  () => import('../../apps/http/openapi/openapi-route.ts'),
  () => import('../../apps/mcp/mcp-routes.ts'),
  () => import('../../apps/oauth/oauth-routes.ts'),
  () => import('../../adapters/mail/smtp-mail.ts'),
  () => import('../phone/open-phone.ts'),
  () => import('../site/open-site.ts'),
];

/** Loads the code of the slow lane piece by piece, so that look-ups are answered in between: all at once it would hold its thread for over half a second. */
export async function loadSlowLanePieces(): Promise<void> {
  for (const load of PIECES) {
    await load();
    await setImmediate();
  }
}
