import { html } from '../../core/html/html.ts';
import type { RedirectKind } from '../../core/oauth/check-redirect-uri.ts';
import { type ConsoleLanguage, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import type { SignUpPolicy } from '../../service/sign-in/sign-up-policy.ts';
import { page } from '../http/pages/page.ts';
import { TEXTS, type Texts } from './texts.ts';

/** The app that asks for consent. `name` is its own claim, only shown escaped and marked as unverified. */
export interface ConsentApp {
  readonly name: string;
  /** The metadata document that describes the app is on this site. */
  readonly clientHost?: string | undefined;
  readonly redirectHost: string;
  readonly redirectKind: RedirectKind;
}

export type FormFault = 'wrongPair' | 'tooMany' | 'weak' | 'badEmail' | 'taken' | 'unproved' | 'wrongCode' | 'stepOver';

interface FormPage {
  readonly language: ConsoleLanguage;
  readonly path: string;
  readonly csrf: string;
  readonly app: ConsentApp;
  readonly signUp: SignUpPolicy;
  readonly hasCompanySignOn: boolean;
  readonly fault?: FormFault;
  readonly waitSec?: number;
  readonly email?: string;
}

const nameOf = (app: ConsentApp, texts: Texts): string => (app.name === '' ? texts.unnamedApp : app.name);
const faultLine = (texts: Texts, fault: FormFault | undefined, waitSec = DEFAULT_WAIT_SEC) =>
  fault === undefined
    ? undefined
    : html`<p class="fault" role="alert" id="fault">${fault === 'tooMany' ? texts.tooMany(waitTime(texts, waitSec)) : texts[fault]}</p>`;

const DEFAULT_WAIT_SEC = 60;

/** Rounds up: seconds up to a minute, then whole minutes. */
const waitTime = (texts: Texts, seconds: number): string =>
  seconds <= 60 ? texts.seconds(Math.max(1, seconds)) : texts.minutes(Math.ceil(seconds / 60));
const described = (fault: FormFault | undefined) =>
  fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`;

export function signInPage({
  language,
  path,
  csrf,
  app,
  signUp,
  hasCompanySignOn,
  fault,
  waitSec,
  email,
}: FormPage): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.signInTitle,
    html`<h1>${texts.signInTitle}</h1>
<p>${texts.signInLead(nameOf(app, texts))}</p>
${faultLine(texts, fault, waitSec)}
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email ?? ''}"${described(fault)}>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described(fault)}>
<button name="action" value="sign-in">${texts.signIn}</button>
</form>
${hasCompanySignOn ? html`<p><a href="${pathPrefix(language)}/console/company?fresh=yes&amp;next=${encodeURIComponent(path)}">${texts.byCompany}</a></p>` : undefined}
${signUp === 'off' ? html`<p>${texts.signUpOff}</p>` : html`<p><a href="${path}/sign-up">${texts.toSignUp}</a></p>`}
<p><a href="${pathPrefix(language)}/console/forgot">${texts.forgotten}</a></p>`,
  );
}

export function signUpPage({ language, path, csrf, signUp, fault, waitSec, email }: FormPage): string {
  const texts = TEXTS[language];
  if (signUp === 'off') return signUpOffPage(language, path);
  return page(
    language,
    texts.signUpTitle,
    html`<h1>${texts.signUpTitle}</h1>
${faultLine(texts, fault, waitSec)}
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email ?? ''}"${described(fault)}>
<label for="password">${texts.newPassword}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="10" required${described(fault)}>
<button name="action" value="sign-up">${texts.signUp}</button>
</form>
<p><a href="${path}">${texts.toSignIn}</a></p>`,
  );
}

function signUpOffPage(language: ConsoleLanguage, path: string): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.signUpTitle,
    html`<h1>${texts.signUpTitle}</h1><p>${texts.signUpOff}</p><p><a href="${path}">${texts.toSignIn}</a></p>`,
  );
}

export interface FactorPage extends Omit<FormPage, 'signUp' | 'hasCompanySignOn'> {
  readonly step: string;
  /** Passkeys need a script and therefore the console's sign-in page. */
  readonly passkey: boolean;
}

export function factorPage({ language, path, csrf, step, passkey, fault, waitSec }: FactorPage): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.factorTitle,
    html`<h1>${texts.factorTitle}</h1>
<p>${texts.factorLead}</p>
${faultLine(texts, fault, waitSec)}
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="step" value="${step}">
<input type="hidden" name="passkey" value="${passkey ? 'yes' : 'no'}">
<label for="code">${texts.factorCode}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required${described(fault)}>
<button name="action" value="factor">${texts.signIn}</button>
</form>
${passkey ? html`<p><a href="${pathPrefix(language)}/console/sign-in?next=${encodeURIComponent(path)}">${texts.withPasskey}</a></p>` : undefined}`,
  );
}

export interface ConsentPage {
  readonly language: ConsoleLanguage;
  readonly path: string;
  readonly csrf: string;
  readonly app: ConsentApp;
  readonly accountEmail: string;
}

/**
 * The allow button accepts a click only after the pointer has been over it for a moment. If a window closes
 * under a double click, the second click therefore has no effect ("DoubleClickjacking"). CSS alone does this,
 * without a script, and the keyboard is unaffected.
 */
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
${app.clientHost === undefined ? undefined : html`<dt>${texts.describedBy}</dt><dd><code>${app.clientHost}</code></dd>`}
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

/** @param location address that gives the answer to the app */
export function openAppPage(language: ConsoleLanguage, location: string): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.returnTitle,
    html`<h1>${texts.returnTitle}</h1><p>${texts.return}</p><p><a href="${location}">${texts.toApp}</a></p>`,
  );
}

export function mailSentPage(language: ConsoleLanguage): string {
  const texts = TEXTS[language];
  return page(language, texts.mailedTitle, html`<h1>${texts.mailedTitle}</h1><p>${texts.mailed}</p>`);
}

/** The app is not at fault, and the same address works again later. */
export function tooManyPage(language: ConsoleLanguage, waitSec: number): string {
  const texts = TEXTS[language];
  return page(
    language,
    texts.tooManyTitle,
    html`<h1>${texts.tooManyTitle}</h1><p>${texts.tooManySignIns(waitTime(texts, waitSec))}</p><p class="soft">${texts.tooManyHint}</p>`,
  );
}

/**
 * @param code stable error code for the app's developers; never text of the caller
 * @param host site whose document could not be read
 */
export function errorPage(
  language: ConsoleLanguage,
  code: string,
  kind: 'expired' | 'request' | 'forged' | 'noFactor' | 'away' | 'unread' | 'unknown',
  host = '',
): string {
  const texts = TEXTS[language];
  const title = kind === 'unread' || kind === 'unknown' ? texts.requestTitle : texts[`${kind}Title`];
  const shown = /^[a-z_]{1,60}$/.test(code) ? code : 'invalid_request';
  return page(
    language,
    title,
    html`<h1>${title}</h1><p>${kind === 'unread' ? texts.unread(host) : texts[kind]}</p><p class="soft">${texts.code}: <code>${shown}</code></p>`,
  );
}
