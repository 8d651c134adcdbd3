/**
 * Frames the few pages without the site's scripts, those of the sign-in flow and of errors: plain HTML with
 * one style sheet inside, readable from 320 pixels and at any zoom, light or dark as the system says.
 */
import { createHash } from 'node:crypto';
import { type Html, html } from '../../../core/html/html.ts';
import type { ConsoleLanguage } from '../../../core/oauth/oauth-addresses.ts';

const STYLE = `
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--main:#0b7a75;--main-text:#fff;--warn-back:#fff4d6;--warn-text:#4d3800;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--card:#161b22;--text:#e6edf3;--soft:#9da7b3;--line:#3d444d;--main:#47b0a9;--main-text:#04211f;--warn-back:#3a2d06;--warn-text:#ffe3a0;--bad:#ff8a94}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}
main{max-width:30rem;margin:0 auto;padding:2rem 1rem}
.brand{font-weight:700;letter-spacing:.02em;color:var(--soft);margin:0 0 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 1rem;overflow-wrap:anywhere}
p,dl,ul{margin:0 0 1rem}
dt{color:var(--soft);font-size:.9rem}
dd{margin:0 0 .6rem;overflow-wrap:anywhere;font-weight:600}
label{display:block;margin:0 0 .25rem;font-weight:600}
input[type=email],input[type=password],input[type=text]{width:100%;font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:.5rem;padding:.6rem .75rem;margin:0 0 1rem}
button{font:inherit;font-weight:600;border-radius:.5rem;padding:.65rem 1.25rem;border:1px solid var(--main);background:var(--main);color:var(--main-text);cursor:pointer;margin:0 .5rem .5rem 0}
button.quiet{background:transparent;color:var(--main)}
button.link{border:0;background:none;color:var(--main);padding:0;font-weight:400;text-decoration:underline}
a{color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
.warn{background:var(--warn-back);color:var(--warn-text);border-radius:.5rem;padding:.75rem 1rem}
.fault{color:var(--bad);font-weight:600}
.card p:last-child,.card form:last-child{margin-bottom:0}
.soft{color:var(--soft);font-size:.9rem}
code{overflow-wrap:anywhere}
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/**
 * Every such page has these headers. There is no form-action on purpose: browsers apply it to the whole chain
 * of redirects after the form, which ends at the app's own address (a loopback port, cursor://…), so any list
 * would stop the sign-in.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  // A page that opened this one cannot move it away under a second click, nor see where it goes.
  'cross-origin-opener-policy': 'same-origin',
  // Under no-referrer browsers would send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function page(language: ConsoleLanguage, title: string, body: Html): string {
  const lang = language === 'zh' ? 'zh-CN' : 'en';
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${title} · Pulse</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<p class="brand">Pulse</p>
<div class="card">
${body}
</div>
</main>
</body>
</html>
`.html;
}
