import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGES } from '../../contract/pages.ts';
import type { HighExample } from '../../contract/shown-names.ts';
import { SITE_HEAD } from '../../contract/site-head.ts';
import type { Status } from '../../contract/status.ts';
import { ownAddress } from '../../core/caller/client-address.ts';
import { markdownHtml } from '../../core/html/html.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { ConsoleLanguage } from '../../core/oauth/oauth-addresses.ts';
import { NO_EVIDENCE_VERSION } from '../../service/compile/compile-evidence.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import { asProblem } from '../../service/problem.ts';
import type { SignUpPolicy } from '../../service/sign-in/sign-in-accounts.ts';
import type { Site, SiteFile } from '../../service/site.ts';
import { sendFile } from '../http/answer/send-file.ts';
import { PAGE_HEADERS } from '../http/pages/page.ts';
import { LANGUAGE_HEADERS, pageLanguage, prefersMarkdown, wantsPage } from '../http/pages/page-language.ts';
import { notBuiltPage } from '../http/pages/problem-page.ts';
import type { HttpServices } from '../http/services.ts';
import type { HttpPlugin } from '../http/step.ts';
import { identifyClient, visitorAccount } from '../http/steps/identify-caller.ts';
import { type DocsFiles, docsFileName } from './docs-files.ts';

export const DEMO_EXAMPLES = ['119.123.64.0', '185.220.101.0', '94.23.9.0', '200.89.128.0', '162.159.36.0'] as const;

/**
 * Every page has these headers: nothing from another host, no inline script, no framing, no referrer to other
 * sites (not `no-referrer`: under it browsers send `Origin: null` with our own forms). The nonce admits the
 * style elements that the component library writes.
 */
const pageHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
});

const ALL = Object.values(PAGES).flat();

const NAMED_FILES = ['/favicon.ico', '/favicon.svg', '/robots.txt'];

const LOOK_AGAIN_SEC = 3;

export interface SiteRoutesOptions {
  readonly built: () => Site | undefined;
  readonly baseUrl: string;
  readonly signup: SignUpPolicy;
  readonly hasCompanySignOn: boolean;
  readonly status: () => Status;
  readonly contact: string | undefined;
  readonly docs: DocsFiles;
  readonly addressLinks?: readonly { readonly name: string; readonly url: string }[];
  readonly highExample?: () => HighExample | undefined;
}

export function siteRoutes(options: SiteRoutesOptions): HttpPlugin {
  const { built, baseUrl, signup, hasCompanySignOn, status, contact, docs, addressLinks = [], highExample } = options;
  const addressFor = ownAddress(baseUrl);
  return (app, { services }) => {
    for (const page of ALL) {
      for (const prefix of ['', '/en']) {
        const url = page === '/' ? prefix || '/' : `${prefix}${page.replace('*', ':rest').replace('*', ':more')}`;
        app.get(url, async (request, reply) => {
          const { exchange, headers } = request;
          if (page === '/console/evidence/*')
            return reply.redirect(request.url.replace('/console/evidence', '/ip'), 301);
          if (url === '/') {
            reply.header('Vary', LANGUAGE_HEADERS);
            if (pageLanguage(headers) === 'en')
              return reply.header('Cache-Control', 'no-store').redirect(`/en${request.url.slice(1)}`, 302);
          }
          if (page === '/status') {
            reply.header('Vary', 'Accept');
            if (!wantsPage(headers)) return reply.header('Cache-Control', 'no-store').send(status());
          }
          const language = prefix === '' ? 'zh' : 'en';
          const address = addressFor(headers.host);
          const markdown = page.startsWith('/docs') ? docs.page(page, language, address) : undefined;
          if (markdown !== undefined) {
            reply.header('Vary', 'Accept');
            if (prefersMarkdown(headers)) return sendFile(request, reply, markdown);
          }
          const site = built();
          if (site === undefined) return sendNotBuilt(reply, language);
          identifyClient(exchange, services);
          return sendDocument(reply, site.document, {
            language: prefix === '' ? 'zh-CN' : 'en',
            client: exchange.client === undefined || isReserved(exchange.client) ? '' : formatAddress(exchange.client),
            signedIn: await isSignedIn(request, services),
            demo: exchange.view?.dataVersion.risk === DEMO_RISK_VERSION,
            page: `${request.url.slice(prefix.length).split(/[?#]/, 1)[0]}`,
            baseUrl: address,
            markdown,
            signup,
            hasCompanySignOn,
            contact,
            addressLinks,
            highExample: page === '/' ? highExample?.() : undefined,
            isUnread: page === '/' && exchange.view?.dataVersion.risk === NO_EVIDENCE_VERSION,
          });
        });
      }
    }
    for (const page of ALL) {
      for (const prefix of ['', '/en'])
        if (prefix + page !== '/')
          app.get(
            `${prefix}${page.replace('*', ':rest').replace('*', ':more')}${page === '/' ? '' : '/'}`,
            withoutSlash,
          );
    }
    for (const path of ['/assets/*', ...NAMED_FILES])
      app.get(path, { config: { file: true } }, (request, reply) => {
        const file = built()?.files.get(request.url.split('?', 1)[0]!);
        return file === undefined ? reply.callNotFound() : sendFile(request, reply, file);
      });
  };
}

async function isSignedIn({ exchange }: FastifyRequest, services: HttpServices): Promise<boolean> {
  try {
    return (await visitorAccount(exchange, services)) !== undefined;
  } catch (error) {
    if (asProblem(error).code !== 'not_ready') throw error;
    return true;
  }
}

/**
 * People type pages with a slash at the end, and other sites link them so; they are redirected with their
 * query.
 */
function withoutSlash(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'public, max-age=3600').redirect(request.url.replace(/\/(?=$|[?#])/, ''), 308);
}

interface PageFacts {
  readonly language: 'zh-CN' | 'en';
  readonly client: string;
  readonly signedIn: boolean;
  readonly demo: boolean;
  readonly page: string;
  readonly baseUrl: string;
  readonly markdown: SiteFile | undefined;
  readonly signup: SignUpPolicy;
  readonly hasCompanySignOn: boolean;
  readonly contact: string | undefined;
  readonly addressLinks: NonNullable<SiteRoutesOptions['addressLinks']>;
  readonly highExample: HighExample | undefined;
  /** No evidence was ever taken in: every address is answered as never seen. */
  readonly isUnread: boolean;
}

/** These characters could end an attribute, and a path arrives as the client wrote it. */
const attribute = (text: string): string => text.replace(/[&<>"'`\s]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * Sends the document with facts that only the service knows: its language, this answer's style nonce, the
 * address it saw, whether anybody is signed in (so that the page need not ask and be refused), and where the
 * same page stands in the other language.
 */
function sendDocument(reply: FastifyReply, document: string, facts: PageFacts): FastifyReply {
  const { language, client, signedIn, demo, page, baseUrl, markdown, signup, contact } = facts;
  const { addressLinks, highExample } = facts;
  const nonce = randomBytes(16).toString('base64');
  const bare = page === '/' ? '' : page;
  const head = [
    `<link rel="alternate" hreflang="zh-CN" href="${attribute(`${baseUrl}${bare || '/'}`)}" />`,
    `<link rel="alternate" hreflang="en" href="${attribute(`${baseUrl}/en${bare}`)}" />`,
    ...(markdown === undefined
      ? []
      : [
          `<link rel="alternate" type="text/markdown" href="${language === 'en' ? '/en' : ''}/docs/${docsFileName(page)}" />`,
        ]),
    `<meta name="style-nonce" content="${nonce}" />`,
    `<meta name="client-address" content="${client}" />`,
    `<meta name="sign-up" content="${signup}" />`,
    ...(facts.hasCompanySignOn ? ['<meta name="company-sign-on" content="yes" />'] : []),
    ...(contact === undefined ? [] : [`<meta name="contact" content="${attribute(contact)}" />`]),
    ...(addressLinks.length === 0
      ? []
      : [`<meta name="address-links" content="${attribute(JSON.stringify(addressLinks))}" />`]),
    ...(highExample === undefined
      ? []
      : [`<meta name="high-example" content="${attribute(JSON.stringify(highExample))}" />`]),
    ...(facts.isUnread ? ['<meta name="unread" content="yes" />'] : []),
    ...(signedIn ? ['<meta name="signed-in" content="yes" />'] : []),
    ...(demo ? [`<meta name="demo-addresses" content="${DEMO_EXAMPLES.join(' ')}" />`] : []),
  ];
  const words = SITE_HEAD[language];
  const noScript =
    markdown === undefined
      ? `<p>${words.noScript} <code>GET ${baseUrl}/v1/ip/{ip}</code></p>`
      : `<main>${markdownHtml(markdown.bytes.toString()).html}</main>`;
  // Functions as replacements: `$` in a path must stay itself.
  const html = document
    .replace(/<html lang="[^"]*">/, `<html lang="${language}">`)
    .replace(
      '<title>Pulse</title>',
      () => `<title>${words.title}</title><meta property="og:title" content="${words.title}" />`,
    )
    .replace(
      '<meta name="description" content="" />',
      () =>
        `<meta name="description" content="${words.description}" /><meta property="og:description" content="${words.description}" />`,
    )
    .replace('</head>', () => `${head.join('')}</head>`)
    .replace('</body>', () => `<noscript>${noScript}</noscript></body>`);
  return reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8').send(html);
}

/** `npm start` on a new clone serves before the site is built: the browser asks again by itself. */
const sendNotBuilt = (reply: FastifyReply, language: ConsoleLanguage): FastifyReply =>
  reply
    .code(503)
    .headers({ ...PAGE_HEADERS, 'Retry-After': LOOK_AGAIN_SEC, Refresh: LOOK_AGAIN_SEC })
    .send(notBuiltPage(language));
