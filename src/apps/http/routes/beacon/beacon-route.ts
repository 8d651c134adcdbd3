import type { BeaconRiskType } from '../../../../contract/risk.ts';
import type { BeaconStore } from '../../../../service/beacons/beacon-store.ts';
import { type AcceptRows, takeExit } from '../../../../service/beacons/beacons.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../step.ts';

const BODY_LIMIT_BYTES = 1024;

interface BeaconAnswer {
  readonly ip: string;
  readonly risk_type: BeaconRiskType;
  readonly pool?: string;
  readonly captured_at: string;
}

/**
 * POST /v1/beacon (docs/beacons.md) captures the address of the connection, never one that the caller writes.
 */
export const beaconRoute =
  (store: BeaconStore, accept: AcceptRows): HttpPlugin =>
  (app) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
      scope.post('/v1/beacon', { bodyLimit: BODY_LIMIT_BYTES }, async ({ exchange }, reply): Promise<BeaconAnswer> => {
        const { beacon, client, at } = exchange;
        if (beacon === undefined || client === undefined) throw new Problem('key_required');
        const { ip, capturedAt } = await takeExit(store, accept, beacon, client, at);
        reply.code(202);
        return {
          ip,
          risk_type: beacon.riskType,
          ...(beacon.pool === undefined ? {} : { pool: beacon.pool }),
          captured_at: isoTime(capturedAt),
        };
      });
    });
  };
