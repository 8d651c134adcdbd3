import type { ConsoleApp } from '../../contract/console.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { AuthorisedApp } from '../../service/sign-in/oauth-store.ts';

export const appDocument = (app: AuthorisedApp): ConsoleApp => ({
  client_id: app.clientId,
  name: app.name,
  redirect_hosts: app.redirectHosts,
  connected_at: isoTime(app.firstAuthorisedAt),
  ...(app.lastUsedAt === undefined ? {} : { last_used_at: isoTime(app.lastUsedAt) }),
});
