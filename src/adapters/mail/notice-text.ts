import type { Notice, NoticeKind } from '../../service/accounts/notice.ts';

type Sentence = (name: string) => string;
interface NoticeWords {
  readonly subject: string;
  readonly text: Sentence;
}

const en: Readonly<Record<NoticeKind, NoticeWords>> = {
  password: {
    subject: 'Your password was changed',
    text: () =>
      'The password of your Pulse account was changed. Other browsers and all connected apps were signed out.',
  },
  key: {
    subject: 'A new API key',
    text: (name) => `An API key was made for your Pulse account: ${name || 'without a name'}.`,
  },
  factor_added: { subject: 'A new second factor', text: () => 'A second factor was added to your Pulse account.' },
  factor_removed: {
    subject: 'A second factor was removed',
    text: () => 'A second factor of your Pulse account was removed.',
  },
  recovery_used: { subject: 'A recovery code was used', text: () => 'A recovery code of your Pulse account was used.' },
  app: {
    subject: 'An app was connected',
    text: (name) => `An app that calls itself “${name}” may now look up addresses with your Pulse account.`,
  },
  company: {
    subject: 'Company sign-on was connected',
    text: () => 'Your Pulse account was signed in to through your company’s sign-in service for the first time.',
  },
  country: {
    subject: 'Sign-in from a new country',
    text: (name) =>
      `Your Pulse account was signed in to from a country that it was not used from before: ${countryName('en', name)}.`,
  },
  locked: {
    subject: 'Codes are locked for today',
    text: () =>
      'Too many wrong codes were entered for your Pulse account, by a person who knows its password. Codes are refused for the rest of the day, except in browsers in which you have signed in before.',
  },
};

const zh: typeof en = {
  password: {
    subject: '密码已更改',
    text: () => '你的 Pulse 账户密码已更改。其他浏览器和所有已连接的应用均已退出登录。',
  },
  key: { subject: '新的 API 密钥', text: (name) => `你的 Pulse 账户创建了一个 API 密钥：${name || '未命名'}。` },
  factor_added: { subject: '新增两步验证方式', text: () => '你的 Pulse 账户新增了一种两步验证方式。' },
  factor_removed: { subject: '两步验证方式已移除', text: () => '你的 Pulse 账户移除了一种两步验证方式。' },
  recovery_used: { subject: '恢复码已使用', text: () => '你的 Pulse 账户使用了一个备用恢复码。' },
  app: { subject: '已连接新应用', text: (name) => `自称“${name}”的应用现在可以使用你的 Pulse 账户查询 IP。` },
  company: { subject: '已关联公司登录', text: () => '首次有人通过贵公司的登录服务登录了你的 Pulse 账户。' },
  country: {
    subject: '来自新国家或地区的登录',
    text: (name) => `你的 Pulse 账户在一个此前未使用过的国家或地区登录：${countryName('zh-CN', name)}。`,
  },
  locked: {
    subject: '验证码今日已锁定',
    text: () =>
      '有知道密码的人为你的 Pulse 账户输入了过多错误的验证码。今日剩余时间内不再接受验证码，你曾登录过的浏览器除外。',
  },
};

/** Words a notice in both languages, with advice for a holder who did not cause it. */
export function noticeText(
  { kind, name, at }: Notice,
  baseUrl: string,
): { readonly subject: string; readonly text: string } {
  const shown = oneLine(name);
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 16);
  return {
    subject: `Pulse: ${zh[kind].subject} / ${en[kind].subject}`,
    text: `${zh[kind].text(shown)}
时间：${time} UTC

如果不是你本人操作，请立即设置新密码：
${baseUrl}/console/forgot
然后检查密钥、应用、两步验证和已登录的浏览器：
${baseUrl}/console/profile

${en[kind].text(shown)}
Time: ${time} UTC

If it was not you, set a new password now:
${baseUrl}/en/console/forgot
Then look at keys, apps, second factors and signed-in browsers:
${baseUrl}/en/console/profile
`,
  };
}

/**
 * Names are untrusted text: they are shortened to one line, and addresses that a mail program would link are
 * broken.
 */
const oneLine = (name: string): string =>
  name
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/(?<=[\p{L}\p{N}])[.:/@](?=\S)/gu, ' ')
    .slice(0, 100);

function countryName(language: string, code: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
