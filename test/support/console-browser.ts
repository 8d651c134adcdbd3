import { operatorRoutes } from '../../src/apps/console/operator-routes.ts';
import type { HttpPlugin } from '../../src/apps/http/step.ts';
import { unixMs } from '../../src/core/units.ts';
import { BrowserJar } from './browser-jar.ts';
import { PASSWORD, type PluginOptions } from './mcp-service.ts';

/** A browser at the console. Its requests carry the session's token once it is signed in. */
export class ConsoleBrowser {
  readonly jar: BrowserJar;
  readonly headers: Readonly<Record<string, string>>;
  csrf = '';

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.jar = new BrowserJar(url);
    this.headers = headers;
  }

  async send(method: string, path: string, body?: object) {
    const headers = {
      ...this.headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(this.csrf && { 'x-csrf-token': this.csrf }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const visit = await this.jar.request(`/console/api${path}`, init);
    const parsed = visit.text === '' ? {} : JSON.parse(visit.text);
    if (typeof parsed.csrf === 'string') this.csrf = parsed.csrf;
    const { code, next_step: next } = parsed.error ?? {};
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    return { status: visit.status, code, next, body: parsed as any, visit };
  }

  enter(email: string, password: string = PASSWORD): ReturnType<ConsoleBrowser['send']> {
    return this.send('POST', '/session/sign-in', { email, password });
  }
}

/** The pages of operators, of a service without feeds. */
export const operatorPages = ({ accounts }: PluginOptions): HttpPlugin => {
  const none = { list: () => [], refresh: () => true, turn: () => undefined };
  const feeds = { ...none, accept: async () => ({ status: 'none' as const }) };
  const unused = { dayNumber: 0, used: 0, refunded: 0, resetsAt: unixMs(0) };
  const ledger = { usageOf: (ids: readonly unknown[]) => [ids.map(() => unused)] };
  return (app, { services: { clock } }) =>
    operatorRoutes(app, { ledger, today: undefined, accounts, clock, faults: () => [], feeds });
};
