import { setImmediate } from 'node:timers/promises';

/** The code behind the app routes, one or two large libraries per piece. */
const PIECES: readonly (() => Promise<unknown>)[] = [
  () => import('../../adapters/database/open-database.ts'),
  () => import('../../apps/http/create-app.ts'),
  () => import('../../apps/http/openapi/openapi-route.ts'),
  () => import('../../apps/mcp/mcp-routes.ts'),
  () => import('../../apps/oauth/oauth-routes.ts'),
  () => import('../../adapters/mail/smtp-mail.ts'),
  () => import('../phone/open-phone.ts'),
  () => import('../site/open-site.ts'),
];

/** Loads the code of the app routes piece by piece, so that look-ups are answered in between: in one piece it would block its thread for over half a second. */
export async function loadAppRoutes(): Promise<void> {
  for (const load of PIECES) {
    await load();
    await setImmediate();
  }
}
