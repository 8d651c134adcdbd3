/** Sentences of the sign-in flow's pages. `zh` must have every sentence of `en`: the type says so. */
const en = {
  consentTitle: (app: string) => `Let ${app} use your account?`,
  unnamedApp: 'an unnamed app',
  app: 'App (named by itself, not verified)',
  account: 'Your account',
  goesTo: 'Afterwards you are sent to',
  may: 'It may look up the risk of IP addresses. Its look-ups count against your daily allowance. It sees neither your password nor your keys.',
  until: 'It stays signed in for 30 days, or until you disconnect it on the console’s key page.',
  warnLoopback:
    'The answer goes to a program on this computer. Go on only if you have just started the sign-in there yourself.',
  warnScheme:
    'The answer goes to whichever app on this device handles this kind of address. Go on only if you have just started the sign-in there yourself.',
  allow: 'Allow',
  deny: 'Deny',
  otherAccount: 'Use another account',
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  minutes: (count: number) => `${count} minutes`,
  tooManyTitle: 'Too many sign-ins at once',
  tooManySignIns: (wait: string) => `Please wait ${wait}, then reload this page.`,
  tooManyHint:
    'Many sign-ins were started from your network address within a minute. Nothing is wrong with your account or the app.',
  expiredTitle: 'This sign-in is no longer open',
  expired: 'It has expired, was finished already, or was started in another browser. Start again from your app.',
  requestTitle: 'This sign-in request cannot be used',
  request:
    'The app asked for something that cannot be granted. Nothing was shared. Start again from the app, or tell its makers the code below.',
  forgedTitle: 'This form was not accepted',
  forged: 'It was not sent from this site, or the page was open for too long. Start again from your app.',
  noFactorTitle: 'This account must have a second factor',
  noFactor: 'Set one up in the console, under Profile, then load this page again.',
  awayTitle: 'Please try again shortly',
  away: 'Sign-in cannot reach its records for the moment. Nothing was changed. Wait a few seconds and load this page again.',
  code: 'Code',
};

export type Texts = typeof en;

const zh: Texts = {
  consentTitle: (app) => `允许“${app}”使用你的账户吗？`,
  unnamedApp: '未命名应用',
  app: '应用（自称名称，未经核实）',
  account: '你的账户',
  goesTo: '随后将跳转至',
  may: '它可以查询 IP 风险，次数计入你的每日额度；它看不到你的密码和密钥。',
  until: '授权 30 天内有效，可随时在控制台的密钥页断开。',
  warnLoopback: '授权结果将交给这台电脑上的一个程序。只有你刚刚在该程序中发起了登录，才应继续。',
  warnScheme: '授权结果将交给本设备上处理此类链接的应用。只有你刚刚在该应用中发起了登录，才应继续。',
  allow: '允许',
  deny: '拒绝',
  otherAccount: '换一个账户',
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分钟`,
  tooManyTitle: '登录请求过于频繁',
  tooManySignIns: (wait) => `请等待 ${wait}后刷新本页。`,
  tooManyHint: '一分钟内来自你的网络地址的登录请求过多。你的账户和应用都没有问题。',
  expiredTitle: '本次登录已失效',
  expired: '登录已过期、已完成，或是在另一个浏览器中发起的。请回到应用重新开始。',
  requestTitle: '登录请求无效',
  request: '应用请求了无法授予的权限，未共享任何信息。请回到应用重新发起，或把下面的代码告诉应用开发者。',
  forgedTitle: '提交未被接受',
  forged: '该提交不是来自本站，或页面打开时间过长。请回到应用重新开始。',
  noFactorTitle: '此账户必须启用两步验证',
  noFactor: '请先在控制台的“个人资料”中设置，然后重新加载本页。',
  awayTitle: '请稍后再试',
  away: '登录服务暂时无法读取记录，未做任何更改。请等待几秒后重新加载本页。',
  code: '代码',
};

export const TEXTS: Readonly<Record<'en' | 'zh', Texts>> = { en, zh };
