import type { HttpPlugin } from '../../apps/http/create-app.ts';
import { healthRoute } from '../../apps/http/routes/health/health-route.ts';
import { ipBatchRoutes } from '../../apps/http/routes/ip/ip-batch-routes.ts';
import { meRoute } from '../../apps/http/routes/me/me-route.ts';
import { sandboxRoutes } from '../../apps/http/routes/sandbox/sandbox-routes.ts';
import type { Config } from '../../config.ts';

/** Every group of routes besides the two look-ups, in order of registration. One line a group. */
export function httpPlugins(config: Config): readonly HttpPlugin[] {
  return [
    healthRoute(),
    ipBatchRoutes,
    meRoute({ quotaTz: config.quotaTz, phone: config.phone, salesContact: config.salesContact }),
    sandboxRoutes,
  ];
}
