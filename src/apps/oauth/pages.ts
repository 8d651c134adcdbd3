import { html } from '../../core/html/html.ts';
import type { RedirectKind } from '../../core/oauth/check-redirect-uri.ts';
import { type ConsoleLanguage, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import type { SignUpPolicy } from '../../service/sign-in/sign-in-accounts.ts';
import { page } from '../http/pages/page.ts';

/** The app that asks for consent. `name` is its own claim, only shown escaped and marked as unverified. */
export interface ConsentApp {
  readonly name: string;
  /** The metadata document that describes the app is on this site. */
  readonly clientHost?: string | undefined;
  readonly redirectHost: string;
  readonly redirectKind: RedirectKind;
}

export type FormFault = 'wrongPair' | 'tooMany' | 'weak' | 'badEmail' | 'taken' | 'unproved' | 'wrongCode' | 'stepOver';

interface FormPage extends Faulty {
  readonly language: ConsoleLanguage;
  readonly path: string;
  readonly csrf: string;
  readonly app: ConsentApp;
  readonly signUp: SignUpPolicy;
  readonly hasCompanySignOn: boolean;
  readonly email?: string;
}

const nameOf = (app: ConsentApp, texts: Texts) => (app.name === '' ? texts.unnamedApp : app.name);
const paragraph = (text: string) => html`<p>${text}</p>`;

export interface Faulty {
  readonly fault?: FormFault;
  readonly waitSec?: number | undefined;
}

function faultLine(texts: Texts, { fault, waitSec = DEFAULT_WAIT_SEC }: Faulty) {
  if (fault === undefined) return undefined;
  const text = fault === 'tooMany' ? texts.tooMany(waitTime(texts, waitSec)) : texts[fault];
  return html`<p class="fault" role="alert" id="fault">${text}</p>`;
}

const DEFAULT_WAIT_SEC = 60;

/** Rounds up: seconds up to a minute, then whole minutes. */
const waitTime = (texts: Texts, seconds: number) =>
  seconds <= 60 ? texts.seconds(Math.max(1, seconds)) : texts.minutes(Math.ceil(seconds / 60));
const described = ({ fault }: Faulty) =>
  fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`;

const link = (href: string, text: string) => html`<p><a href="${href}">${text}</a></p>`;

export function signInPage(form: FormPage): string {
  const texts = TEXTS[form.language];
  const console = `${pathPrefix(form.language)}/console`;
  const next = encodeURIComponent(form.path);
  return page(
    form.language,
    texts.signInTitle,
    html`<h1>${texts.signInTitle}</h1>
<p>${texts.signInLead(nameOf(form.app, texts))}</p>
${faultLine(texts, form)}
<form method="post" action="${form.path}">
<input type="hidden" name="csrf" value="${form.csrf}">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${form.email ?? ''}"${described(form)}>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described(form)}>
<button name="action" value="sign-in">${texts.signIn}</button>
</form>
${form.hasCompanySignOn ? link(`${console}/company?fresh=yes&next=${next}`, texts.byCompany) : undefined}
${form.signUp === 'off' ? paragraph(texts.signUpOff) : link(`${form.path}/sign-up`, texts.toSignUp)}
${link(`${console}/forgot`, texts.forgotten)}`,
  );
}

export function signUpPage(form: FormPage): string {
  const texts = TEXTS[form.language];
  const fields = html`${faultLine(texts, form)}
<form method="post" action="${form.path}">
<input type="hidden" name="csrf" value="${form.csrf}">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${form.email ?? ''}"${described(form)}>
<label for="password">${texts.newPassword}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="10" required${described(form)}>
<button name="action" value="sign-up">${texts.signUp}</button>
</form>`;
  return page(
    form.language,
    texts.signUpTitle,
    html`<h1>${texts.signUpTitle}</h1>
${form.signUp === 'off' ? paragraph(texts.signUpOff) : fields}
${link(form.path, texts.toSignIn)}`,
  );
}

export interface FactorPage extends Omit<FormPage, 'signUp' | 'hasCompanySignOn'> {
  readonly step: string;
  /** Passkeys need a script and therefore the console's sign-in page. */
  readonly passkey: boolean;
}

export function factorPage(form: FactorPage): string {
  const texts = TEXTS[form.language];
  const byPasskey = `${pathPrefix(form.language)}/console/sign-in?next=${encodeURIComponent(form.path)}`;
  return page(
    form.language,
    texts.factorTitle,
    html`<h1>${texts.factorTitle}</h1>
<p>${texts.factorLead}</p>
${faultLine(texts, form)}
<form method="post" action="${form.path}">
<input type="hidden" name="csrf" value="${form.csrf}">
<input type="hidden" name="step" value="${form.step}">
<input type="hidden" name="passkey" value="${form.passkey ? 'yes' : 'no'}">
<label for="code">${texts.factorCode}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required${described(form)}>
<button name="action" value="factor">${texts.signIn}</button>
</form>
${form.passkey ? link(byPasskey, texts.withPasskey) : undefined}`,
  );
}

export interface ConsentPage extends Pick<FormPage, 'language' | 'path' | 'csrf' | 'app'> {
  readonly accountEmail: string;
}

/**
 * The allow button accepts a click only after the pointer has been over it for a moment. If a window closes
 * under a double click, the second click therefore has no effect ("DoubleClickjacking"). CSS alone does this,
 * without a script, and the keyboard is unaffected.
 */
export function consentPage({ language, path, csrf, app, accountEmail }: ConsentPage): string {
  const texts = TEXTS[language];
  const risk = { loopback: texts.warnLoopback, custom: texts.warnScheme, https: undefined }[app.redirectKind];
  const warning = risk && html`<p class="warn" role="note">${risk}</p>`;
  const title = texts.consentTitle(nameOf(app, texts));
  const site = html`<dt>${texts.describedBy}</dt><dd><code>${app.clientHost ?? ''}</code></dd>`;
  return page(
    language,
    title,
    html`<h1>${title}</h1>
<dl>
<dt>${texts.app}</dt><dd>${nameOf(app, texts)}</dd>
${app.clientHost && site}
<dt>${texts.account}</dt><dd>${accountEmail}</dd>
<dt>${texts.goesTo}</dt><dd><code>${app.redirectHost}</code></dd>
</dl>
<p>${texts.may}</p>
<p class="soft">${texts.until}</p>
${warning}
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
/** `zh` must have every sentence of `en`: the type says so. */
const en = {
  signInTitle: 'Sign in',
  signInLead: (app: string) => `Sign in to decide whether ${app} may use your account.`,
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'Password (at least 10 characters)',
  signIn: 'Sign in',
  signUp: 'Create account',
  signUpTitle: 'Create an account',
  toSignUp: 'No account yet? Create one',
  toSignIn: 'You have an account? Sign in',
  forgotten: 'Forgotten the password?',
  byCompany: 'Sign in at your company',
  consentTitle: (app: string) => `Let ${app} use your account?`,
  unnamedApp: 'an unnamed app',
  app: 'App (named by itself, not verified)',
  describedBy: 'Described by the site',
  account: 'Your account',
  goesTo: 'Afterwards you are sent to',
  may: 'It may look up the risk of IP addresses. Its lookups count against your daily allowance. It sees neither your password nor your keys.',
  until: 'It stays signed in for 30 days, or until you disconnect it on the console’s key page.',
  warnLoopback:
    'The answer goes to a program on this computer. Go on only if you have just started the sign-in there yourself.',
  warnScheme:
    'The answer goes to whichever app on this device handles this kind of address. Go on only if you have just started the sign-in there yourself.',
  allow: 'Allow',
  deny: 'Deny',
  otherAccount: 'Use another account',
  wrongPair: 'Wrong e-mail or password.',
  tooMany: (wait: string) => `Too many attempts. Wait ${wait}, then try again.`,
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  minutes: (count: number) => `${count} minutes`,
  tooManyTitle: 'Too many sign-ins at once',
  tooManySignIns: (wait: string) => `Please wait ${wait}, then reload this page.`,
  tooManyHint:
    'Many sign-ins were started from your network address within a minute. Nothing is wrong with your account or the app.',
  weak: 'Choose a password of at least 10 characters that is not a common one.',
  badEmail: 'This is not a usable e-mail address.',
  taken: 'There is an account with this e-mail address already. Sign in instead.',
  signUpOff: 'This service takes no sign-ups: its operator makes the accounts. Ask the operator for one.',
  unproved:
    'The e-mail address of this account is not proved yet. Set a new password below: the link in the mail proves the address.',
  wrongCode: 'The code is wrong, has expired or was used already.',
  stepOver: 'This took too long. Enter the password again.',
  factorTitle: 'Second factor',
  factorLead: 'Enter the code that your authenticator shows, or one of your recovery codes.',
  factorCode: 'Code',
  withPasskey: 'Sign in with a passkey instead',
  mailed: 'Check your mail: follow the link to finish, then start the sign-in in your app again.',
  mailedTitle: 'Check your mail',
  returnTitle: 'You can go back to the app',
  return: 'Your decision was sent to the app. You can close this page.',
  toApp: 'Nothing happened? Open the app',
  expiredTitle: 'This sign-in has expired',
  expired: 'It has expired, was finished already, or was started in another browser. Start again from your app.',
  requestTitle: 'This sign-in request cannot be used',
  request:
    'The app asked for something that cannot be granted. Nothing was shared. Start again from the app, or tell its makers the code below.',
  unread: (host: string) =>
    `This service could not read the app’s document at ${host}. Nothing was shared. Try again later, or ask the operator of this service whether it may reach that site.`,
  unknown:
    'This service does not know the app, or no longer does. In the app remove the stored sign-in of this service, then connect again.',
  forgedTitle: 'This form was not accepted',
  forged: 'It was not sent from this site, or the page was open for too long. Start again from your app.',
  noFactorTitle: 'This account must have a second factor',
  noFactor: 'Set one up in the console, under Profile, then load this page again.',
  awayTitle: 'Please try again shortly',
  away: 'Sign-in cannot reach its records for the moment. Nothing was changed. Wait a few seconds and load this page again.',
  code: 'Code',
};

type Texts = typeof en;

const zh: Texts = {
  signInTitle: '登录',
  signInLead: (app) => `登录后，决定是否允许“${app}”使用你的账户。`,
  email: '邮箱',
  password: '密码',
  newPassword: '密码（至少 10 个字符）',
  signIn: '登录',
  signUp: '创建账户',
  signUpTitle: '创建账户',
  toSignUp: '还没有账户？创建一个',
  toSignIn: '已有账户？直接登录',
  forgotten: '忘记密码？',
  byCompany: '使用公司账号登录',
  consentTitle: (app) => `允许“${app}”使用你的账户吗？`,
  unnamedApp: '未命名应用',
  app: '应用（自称名称，未经核实）',
  describedBy: '描述此应用的网站',
  account: '你的账户',
  goesTo: '随后将跳转至',
  may: '它可以查询 IP 风险，次数计入你的每日额度；它看不到你的密码和密钥。',
  until: '授权 30 天内有效，可随时在控制台的密钥页断开。',
  warnLoopback: '授权结果将交给这台电脑上的一个程序。只有你刚刚在该程序中发起了登录，才应继续。',
  warnScheme: '授权结果将交给本设备上处理此类链接的应用。只有你刚刚在该应用中发起了登录，才应继续。',
  allow: '允许',
  deny: '拒绝',
  otherAccount: '换一个账户',
  wrongPair: '邮箱或密码不正确。',
  tooMany: (wait) => `尝试次数过多，请等待 ${wait}后再试。`,
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分钟`,
  tooManyTitle: '登录请求过于频繁',
  tooManySignIns: (wait) => `请等待 ${wait}后刷新本页。`,
  tooManyHint: '一分钟内来自你的网络地址的登录请求过多。你的账户和应用都没有问题。',
  weak: '密码至少 10 个字符，且不能是常见密码。',
  badEmail: '请输入有效的邮箱地址。',
  taken: '该邮箱已注册，请直接登录。',
  signUpOff: '本服务未开放注册，账户由管理员创建，请联系管理员。',
  unproved: '此账户的邮箱尚未验证。请使用下方的“忘记密码”，打开邮件中的链接即可完成验证。',
  wrongCode: '验证码不正确、已过期或已使用。',
  stepOver: '操作超时，请重新输入密码。',
  factorTitle: '两步验证',
  factorLead: '请输入身份验证器显示的验证码，或一个备用恢复码。',
  factorCode: '验证码',
  withPasskey: '改用通行密钥登录',
  mailed: '请查收邮件并点击其中的链接完成注册，然后在应用中重新发起登录。',
  mailedTitle: '请查收邮件',
  returnTitle: '可以返回应用了',
  return: '你的决定已发送给应用，可以关闭本页。',
  toApp: '没有反应？点此打开应用',
  expiredTitle: '本次登录已失效',
  expired: '登录已过期、已完成，或是在另一个浏览器中发起的。请回到应用重新开始。',
  requestTitle: '登录请求无效',
  request: '应用请求了无法授予的权限，未共享任何信息。请回到应用重新发起，或把下面的代码告诉应用开发者。',
  unread: (host) =>
    `本服务无法读取该应用在 ${host} 上的描述文件，未共享任何信息。请稍后重试，或询问本服务的管理员能否访问该网站。`,
  unknown: '本服务不认识（或不再认识）此应用。请在应用中删除已保存的本服务登录信息，然后重新连接。',
  forgedTitle: '提交未被接受',
  forged: '该提交不是来自本站，或页面打开时间过长。请回到应用重新开始。',
  noFactorTitle: '此账户必须启用两步验证',
  noFactor: '请先在控制台的“个人资料”中设置，然后重新加载本页。',
  awayTitle: '请稍后再试',
  away: '登录服务暂时无法读取记录，未做任何更改。请等待几秒后重新加载本页。',
  code: '代码',
};

const TEXTS: Readonly<Record<'en' | 'zh', Texts>> = { en, zh };
