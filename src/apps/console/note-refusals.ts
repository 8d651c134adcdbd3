import type { CountedEvent } from '../../service/accounts/account-store.ts';
import { Problem } from '../../service/problem.ts';
import { refusedEvent } from '../../service/sign-in/sign-in.ts';
import type { HttpPlugin } from '../http/step.ts';

/**
 * Counts requests for operator pages, and deliveries of evidence, without the right to them. A request to
 * confirm an old sign-in is not a refusal.
 */
export const noteRefusals =
  (onEvent: (event: CountedEvent) => void): HttpPlugin =>
  (app) => {
    app.addHook('onError', async ({ exchange, routeOptions: { config } }, _reply, error) => {
      if (!(error instanceof Problem) || error.code !== 'forbidden') return;
      const { session, caller, at } = exchange;
      const next = error.extras.next_step;
      if (config.chain?.startsWith('console-operator') && session !== undefined && next !== 'confirm_identity') {
        const reason = next === 'set_up_second_factor' ? 'no_factor' : 'not_operator';
        onEvent(
          refusedEvent({ accountId: session.account.id, operator: true }, reason, at, `user:${session.account.id}`),
        );
      }
      if (config.chain === 'evidence' && caller?.kind === 'key') {
        const { key, account } = caller;
        const event = { action: 'evidence.refuse', actor: `key:${key.id}`, subject: account.id } as const;
        onEvent({ ...event, detail: {}, counts: { count: 1 }, at });
      }
    });
  };
