import { html } from '../../core/html/html.ts';
import type { RedirectKind } from '../../core/oauth/check-redirect-uri.ts';
import type { ConsoleLanguage } from '../../core/oauth/oauth-addresses.ts';
import { page } from '../http/page.ts';
import { TEXTS, type Texts } from './texts.ts';

/** Facts for the pages about the app that asks. `name` is its own claim and is only ever shown escaped and marked as unverified. */
export interface AskingApp {
  readonly name: string;
  readonly redirectHost: string;
  readonly redirectKind: RedirectKind;
}

const nameOf = (app: AskingApp, texts: Texts): string => (app.name === '' ? texts.unnamedApp : app.name);
/** A time to wait in words, never shorter than it is: seconds up to a minute, whole minutes beyond. */
const waitTime = (texts: Texts, seconds: number): string =>
  seconds <= 60 ? texts.seconds(Math.max(1, seconds)) : texts.minutes(Math.ceil(seconds / 60));

export interface ConsentPage {
  readonly language: ConsoleLanguage;
  readonly path: string;
  readonly csrf: string;
  readonly app: AskingApp;
  readonly accountEmail: string;
}

export function consentPage({ language, path, csrf, app, accountEmail }: ConsentPage): string {
  const texts = TEXTS[language];
  const warning =
    app.redirectKind === 'loopback' ? texts.warnLoopback : app.redirectKind === 'custom' ? texts.warnScheme : undefined;
  const title = texts.consentTitle(nameOf(app, texts));
  return page(
    language,
    title,
    html`<h1>${title}</h1>
<dl>
<dt>${texts.app}</dt><dd>${nameOf(app, texts)}</dd>
<dt>${texts.account}</dt><dd>${accountEmail}</dd>
<dt>${texts.goesTo}</dt><dd><code>${app.redirectHost}</code></dd>
</dl>
<p>${texts.may}</p>
<p class="soft">${texts.until}</p>
${warning === undefined ? undefined : html`<p class="warn" role="note">${warning}</p>`}
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${csrf}">
<button name="action" value="approve">${texts.allow}</button>
<button name="action" value="deny" class="quiet">${texts.deny}</button>
<p><button name="action" value="sign-out" class="link">${texts.otherAccount}</button></p>
</form>`,
  );
}

/** Too many sign-ins from one client in a short time. The app has done nothing wrong, and the same address works again afterwards. */
export function tooManyPage(language: ConsoleLanguage, waitSec: number): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.tooManyTitle,
    html`<h1>${texts.tooManyTitle}</h1><p>${texts.tooManySignIns(waitTime(texts, waitSec))}</p><p class="soft">${texts.tooManyHint}</p>`,
  );
}

/** @param code stable error code, shown for the app's makers; never free text of the caller */
export function errorPage(
  language: ConsoleLanguage,
  code: string,
  kind: 'expired' | 'request' | 'forged' | 'noFactor' | 'away',
): string {
  const texts = TEXTS[language];
  const title = texts[`${kind}Title`];
  const shown = /^[a-z_]{1,60}$/.test(code) ? code : 'invalid_request';
  return page(
    language,
    title,
    html`<h1>${title}</h1><p>${texts[kind]}</p><p class="soft">${texts.code}: <code>${shown}</code></p>`,
  );
}
