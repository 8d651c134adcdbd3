import type { NetworkRisk } from '../../../../contract/documents.ts';
import { describeNetwork } from '../../../../service/lookup/describe-network.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';

/**
 * GET /pulse/v1/network/{prefix or ASnnn}: the evidence inside a network (decisions 10.5), with a key or
 * signed in.
 */
export const networkRoutes: HttpPlugin = (app) => {
  const answer = ({ exchange }: { readonly exchange: Exchange }): Promise<NetworkRisk> =>
    describeNetwork({ view: exchange.view!, network: exchange.network!, now: exchange.at });
  for (const path of ['/pulse/v1/network/:network', '/pulse/v1/network/:network/:bits']) app.get(path, answer);
  app.get('/console/api/network/:network', answer);
};
