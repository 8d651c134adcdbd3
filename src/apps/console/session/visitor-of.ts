import type { FastifyRequest } from 'fastify';
import { agentFamily } from '../../../core/sign-in/agent-family.ts';
import type { Clock } from '../../../service/ports.ts';
import type { MailLanguage, Visitor } from '../../../service/sign-in/sign-in.ts';
import type { DeviceCookie } from './device-cookie.ts';

export const visitorOf = (
  { exchange, headers }: FastifyRequest,
  language: MailLanguage,
  { device, clock }: { readonly device: DeviceCookie; readonly clock: Clock },
): Visitor => ({
  client: exchange.client!,
  device: device.read(headers.cookie),
  agent: agentFamily(headers['user-agent'] ?? ''),
  at: clock.now(),
  language,
});
