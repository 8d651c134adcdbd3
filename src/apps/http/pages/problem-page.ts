import type { ErrorCode } from '../../../contract/errors.ts';
import { html } from '../../../core/html/html.ts';
import { type ConsoleLanguage, pathPrefix } from '../../../core/oauth/oauth-addresses.ts';
import { page } from './page.ts';

const WORDS = {
  zh: {
    not_found: ['没有这个页面', '地址可能输错了。'],
    rate_limited: ['请求过多', '请稍等一分钟再试。'],
    not_ready: ['服务正在启动', '数据正在载入，或暂时无法读取账户。请稍后重试。'],
    other: ['无法显示这个页面', '请稍后重试；如果仍然出错，请联系本服务的管理员。'],
    misdirected: ['域名不对', '本服务的地址是：', '管理员：请把 PULSE_BASE_URL 设为访问时使用的地址，然后重启服务。'],
    notBuilt: [
      '网站正在构建',
      'API 已经可用。在新克隆上首次执行 npm start 后约需半分钟，构建完成后本页自动打开；若迟迟没有出现，请查看 npm start 的输出。',
    ],
    code: '错误代码：',
    start: '回到首页',
    ready: ['服务正常', '可以查询。', '部分来源缺失或过期，或某个存储不可用。', '数据来源与更新时间'],
  },
  en: {
    not_found: ['There is no such page', 'The address may have been mistyped.'],
    rate_limited: ['Too many requests', 'Please wait a minute and try again.'],
    not_ready: [
      'The service is starting',
      'It is loading its data, or cannot read its accounts at the moment. Try again shortly.',
    ],
    other: [
      'This page cannot be shown',
      'Try again shortly. If it fails again, report it to the operator of this service.',
    ],
    misdirected: [
      'Wrong host name',
      'The address of this service is:',
      'Operators: set PULSE_BASE_URL to the address that visitors use, and restart the service.',
    ],
    notBuilt: [
      'The site is being built',
      'The API answers already. After the first npm start on a new clone this takes about half a minute, then this page opens by itself. If it does not, the output of npm start says why.',
    ],
    code: 'Error code:',
    start: 'To the start page',
    ready: [
      'The service is ready',
      'Lookups are answered.',
      'Some sources are missing or late, or a store cannot be used.',
      'The data and how old it is',
    ],
  },
} as const;

export function problemPage(language: ConsoleLanguage, code: ErrorCode): string {
  const words = WORDS[language];
  const [title, text] =
    code === 'not_found' || code === 'rate_limited' || code === 'not_ready' ? words[code] : words.other;
  const start = pathPrefix(language) || '/';
  return page(
    language,
    title,
    html`<h1>${title}</h1><p>${text}</p><p class="soft">${words.code} <code>${code}</code></p><p><a href="${start}">${words.start}</a></p>`,
  );
}

export function notBuiltPage(language: ConsoleLanguage): string {
  const [title, text] = WORDS[language].notBuilt;
  return page(language, title, html`<h1>${title}</h1><p>${text}</p>`);
}

/**
 * Shown under a host name that is not this service's. @param baseUrl public address, without a trailing slash
 */
export function misdirectedPage(language: ConsoleLanguage, baseUrl: string): string {
  const [title, text, operators] = WORDS[language].misdirected;
  return page(
    language,
    title,
    html`<h1>${title}</h1><p>${text}<br><a href="${baseUrl}${pathPrefix(language)}">${baseUrl}</a></p><p class="soft">${operators}</p>`,
  );
}

export function healthPage(language: ConsoleLanguage, degraded: boolean): string {
  const [title, text, late, more] = WORDS[language].ready;
  return page(
    language,
    title,
    html`<h1>${title}</h1><p>${text}${degraded && ` ${late}`}</p><p><a href="${pathPrefix(language)}/status">${more}</a></p>`,
  );
}
