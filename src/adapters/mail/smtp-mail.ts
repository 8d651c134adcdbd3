import type { NoticeMail } from '../../service/accounts/notice.ts';
import type { SignInMail } from '../../service/sign-in/sign-in.ts';
import { within } from '../http-client/within.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import { noticeText } from './notice-text.ts';

export interface SmtpOptions {
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

export interface SmtpMail extends SignInMail, NoticeMail {
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

export async function transportTo({ href: url }: URL, ms: number, defaults = {}) {
  const { createTransport } = await import('nodemailer');
  const times = { connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms };
  return createTransport({ url, ...times, disableFileAccess: true, disableUrlAccess: true }, defaults);
}
