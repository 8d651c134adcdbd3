import { fstatSync, statSync } from 'node:fs';
import { openAccounts } from '../adapters/accounts/open-accounts.ts';
import { SqlSignInStore } from '../adapters/sign-in/sql-sign-in-store.ts';
import type { Config } from '../config.ts';
import { pathPrefix } from '../core/oauth/oauth-addresses.ts';
import { inLanguage, type Language, type Said, said } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import { firstOperatorLink } from '../service/sign-in/sign-in.ts';
import { FIRST_OPERATOR_COMMAND, STANDARD_OUTPUT } from './app/report-no-operator.ts';

/**
 * Returns whether the output is stored: a container runtime keeps the output of its first process, even if it
 * is a terminal.
 */
function isKept(): boolean {
  try {
    return statSync(`/proc/1/fd/${STANDARD_OUTPUT}`).rdev === fstatSync(STANDARD_OUTPUT).rdev;
  } catch {
    // On other systems than Linux, or with another user's first process, this is not the first process of a
    // container.
    return false;
  }
}

export interface NextSteps {
  readonly language: Language;
  readonly address: string;
  readonly at: UnixMs;
}

export async function nextSteps(config: Config, { language, address, at }: NextSteps): Promise<void> {
  const accounts = await openAccounts(config);
  try {
    const hasOperator = await accounts.store.hasOperator();
    const pages = `${address}${pathPrefix(language)}`;
    const invite = async (): Promise<Said> =>
      isKept()
        ? said("make your account, the operator's: {command}", { command: FIRST_OPERATOR_COMMAND })
        : await invitation(new SqlSignInStore(accounts.db), pages, at);
    const steps = [
      hasOperator ? said('sign in: {page}', { page: `${pages}/console` }) : await invite(),
      said('make a key for lookups: {page}', { page: `${pages}/console/keys` }),
      said('try it: {command}', { command: `curl -H 'X-API-Key: KEY' ${address}/v1/ip/8.8.8.8` }),
      said('connect an agent: {command}', { command: `claude mcp add --transport http pulse ${pages}/mcp/account` }),
      config.feeds === 'off'
        ? said('read public lists: {command}', { command: 'PULSE_FEEDS=auto npm start' })
        : said('watch the public lists: {command}', { command: 'npx pulse feeds list' }),
      said('put a sensor out: {command} (guide: {page})', {
        command: 'npx pulse sensor --local',
        page: `${pages}/docs/sensor`,
      }),
      said('read the manual: {page}', { page: `${pages}/docs` }),
    ];
    const lines = steps.map((step, i) => `  ${i + 1}. ${inLanguage(language, step)}\n`);
    process.stdout.write(`${inLanguage(language, said('pulse: next'))}\n${lines.join('')}`);
  } finally {
    await accounts.close();
  }
}

async function invitation(store: SqlSignInStore, pages: string, at: UnixMs): Promise<Said> {
  const { fragment, expiresAt } = await firstOperatorLink(store, at);
  const until = new Date(expiresAt).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  return said("make your account, the operator's (good once, until {until}):\n     {page}", {
    until,
    page: `${pages}/console/first-operator${fragment}`,
  });
}
