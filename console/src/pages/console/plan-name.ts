import type { ConsoleMessages } from '../../messages/console.en.ts';

/** Name of a plan in the reader's language; an operator's own plan is shown as it is called. */
export const planName = (c: ConsoleMessages, plan: string): string =>
  Object.hasOwn(c.usage.plans, plan) ? c.usage.plans[plan as keyof typeof c.usage.plans] : plan;
