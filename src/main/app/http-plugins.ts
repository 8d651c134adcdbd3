import { ipBatchRoute } from '../../apps/console/ip-batch-route.ts';
import { healthRoute } from '../../apps/http/routes/health/health-route.ts';
import { meRoute } from '../../apps/http/routes/me/me-route.ts';
import { networkRoutes } from '../../apps/http/routes/network/network-routes.ts';
import { sandboxRoutes } from '../../apps/http/routes/sandbox/sandbox-routes.ts';
import type { HttpPlugin } from '../../apps/http/step.ts';
import type { Config } from '../../config.ts';

/** Routes that need only the configuration. open-app-routes.ts adds those with stores of their own. */
export function httpPlugins(config: Config): readonly HttpPlugin[] {
  return [
    healthRoute(),
    networkRoutes,
    ipBatchRoute,
    meRoute({ quotaTz: config.quotaTz, phone: config.phone, salesContact: config.salesContact }),
    sandboxRoutes,
  ];
}
