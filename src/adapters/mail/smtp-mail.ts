import type { NoticeMail } from '../../service/accounts/notice.ts';
import type { SignInMail } from '../../service/sign-in/sign-in.ts';
import { within } from '../http-client/within.ts';
import { networkFault } from '../system/system-fault.ts';
import { noticeText } from './notice-text.ts';

interface SmtpOptions {
  /**
   * PULSE_SMTP_URL: smtp://user:password@host:587?from=pulse%40example.com; smtps:// for TLS from the first
   * byte.
   */
  readonly url: string;
  /** Its host is the sender's domain if the URL has no `from`. */
  readonly baseUrl: string;
  readonly withinMs?: number;
}

/** The longest that a mail takes. Each silence of the server may be as long. */
const MAIL_MS = 30_000;

interface SmtpMail extends SignInMail, NoticeMail {
  close(): void;
}

/**
 * Sends the mails of sign-in and accounts as plain text: no tracking, nothing to load, every link written
 * out.
 */
export function smtpMail({ url, baseUrl, withinMs = MAIL_MS }: SmtpOptions): SmtpMail {
  const address = new URL(url);
  const from = address.searchParams.get('from') ?? `Pulse <no-reply@${new URL(baseUrl).hostname}>`;
  address.searchParams.delete('from');
  const transport = transportTo(address, withinMs, { from });
  const send = async (
    to: string,
    { subject, text }: { readonly subject: string; readonly text: string },
  ): Promise<void> => {
    // Auto-Submitted suppresses out-of-office replies (RFC 3834).
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const opened = await transport;
    await within(withinMs, () => opened.sendMail({ to: { name: '', address: to }, subject, text, headers }));
  };
  return {
    verify: (to, link, language) => send(to, MAIL_TEXTS[language].verify(link)),
    reset: (to, link, language) => send(to, MAIL_TEXTS[language].reset(link)),
    notice: (to, notice) => send(to, noticeText(notice, baseUrl)),
    alreadyRegistered: (to, signInUrl, language) => send(to, MAIL_TEXTS[language].alreadyRegistered(signInUrl)),
    close: () => void transport.then((opened) => opened.close()),
  };
}

async function transportTo({ href: url }: URL, ms: number, defaults = {}) {
  const { createTransport } = await import('nodemailer');
  const times = { connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms };
  return createTransport({ url, ...times, disableFileAccess: true, disableUrlAccess: true }, defaults);
}

/** An operator can act on these codes of the mail library. */
const CAUSES: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses user or password of the address',
  ECONNECTION: 'nothing listens at the address',
  EDNS: 'the name of its host is not known',
  ESOCKET: 'the connection is closed',
  ETLS: 'its TLS cannot be used',
};

/**
 * Connects and signs in to the mail server, and sends nothing.
 * @returns why mails cannot be sent, without anything secret; undefined where they can
 */
export async function checkSmtp(url: string, withinMs: number): Promise<string | undefined> {
  const address = new URL(url);
  address.searchParams.delete('from');
  const transport = await transportTo(address, withinMs);
  try {
    await within(withinMs, () => transport.verify());
    return undefined;
  } catch (error) {
    // The library keeps the code of the system in its cause, or in its own message.
    const { code = '', message, cause } = error as NodeJS.ErrnoException & { readonly cause?: NodeJS.ErrnoException };
    return (
      networkFault(`${cause?.code} ${message} ${code}`)?.cause ?? CAUSES[cause?.code ?? code] ?? CAUSES[code] ?? code
    );
  } finally {
    transport.close();
  }
}

export function smtpAddress(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'smtps:' ? 465 : 587) : port}`;
}

interface MailText {
  readonly subject: string;
  readonly text: string;
}

const en = {
  verify: (link: string): MailText => ({
    subject: 'Finish your Pulse account',
    text: `Someone, hopefully you, has started an account with this e-mail address.\n\nTo finish, open this link within 24 hours and enter the password you chose:\n\n${link}\n\nIf it was not you, do nothing: no account is made.\n`,
  }),
  reset: (link: string): MailText => ({
    subject: 'Set a new Pulse password',
    text: `To set a new password, open this link within one hour:\n\n${link}\n\nEvery browser and app that is signed in will be signed out. If you did not ask for this, do nothing: your password stays as it is.\n`,
  }),
  alreadyRegistered: (signInUrl: string): MailText => ({
    subject: 'You have a Pulse account already',
    text: `Someone, hopefully you, tried to create an account with this e-mail address. There is one already. Sign in, or set a new password, here:\n\n${signInUrl}\n\nIf it was not you, do nothing.\n`,
  }),
};

const zh: typeof en = {
  verify: (link) => ({
    subject: '完成你的 Pulse 账户注册',
    text: `有人（应该是你）使用此电子邮箱开始注册账户。\n\n请在 24 小时内打开以下链接，并输入你设定的密码以完成注册：\n\n${link}\n\n如果不是你本人操作，请忽略此邮件，不会创建任何账户。\n`,
  }),
  reset: (link) => ({
    subject: '设置新的 Pulse 密码',
    text: `请在一小时内打开以下链接设置新密码：\n\n${link}\n\n届时所有已登录的浏览器和应用都将退出登录。如果你没有提出此请求，请忽略此邮件，密码不会改变。\n`,
  }),
  alreadyRegistered: (signInUrl) => ({
    subject: '你已经拥有 Pulse 账户',
    text: `有人（应该是你）尝试使用此电子邮箱创建账户，但该账户已存在。请在此登录或设置新密码：\n\n${signInUrl}\n\n如果不是你本人操作，请忽略此邮件。\n`,
  }),
};

/** `zh` must have every mail that `en` has. */
const MAIL_TEXTS = { en, zh };
