import type { ConsoleLanguage } from '../../../core/oauth/oauth-addresses.ts';
import type { SignOnRefusal } from '../../../service/sign-in/company-provider.ts';

type Words = Readonly<Record<SignOnRefusal | 'confirmed', readonly [title: string, text: string]>>;

export const COMPANY_TEXTS: Readonly<Record<ConsoleLanguage, Words & { readonly back: string }>> = {
  en: {
    back: 'To the sign-in page',
    away: [
      'Company sign-on does not answer',
      'Your company’s sign-in service cannot be reached now, or refuses this one. Try again shortly; signing in with a password still works. The operator finds the reason in the log.',
    ],
    untrusted: [
      'The answer of company sign-on was not accepted',
      'It failed a check, so nobody was signed in. Start again. If it happens again, tell the operator of this service.',
    ],
    expired: [
      'This sign-in has expired',
      'It took too long, was finished already, or was started in another browser or tab. Start again.',
    ],
    declined: ['You were not signed in', 'The sign-in was declined at your company’s sign-in service.'],
    stale: [
      'Company sign-on did not confirm that it is you',
      'Its answer does not say that you have just signed in there. Try again. If it happens again, tell the operator: the provider must send the claim auth_time.',
    ],
    email: [
      'Your company names no verified mail address for you',
      'An account needs a mail address that your company’s sign-in service has verified. Ask those who run it.',
    ],
    taken: [
      'There is an account with your mail address already',
      'Its address was never proved here, so it may belong to somebody else and is not connected. If it is yours, set a new password by mail, whose link proves the address, and then sign in here again; or ask the operator of this service.',
    ],
    role: [
      'You may not sign in here',
      'Your company’s sign-in service does not give you the role that this service asks for. Ask those who run it.',
    ],
    disabled: ['This account is disabled', 'Ask the operator of this service.'],
    other: [
      'That was another account',
      'You signed in at your company as somebody else than the holder of this session. Nothing was changed.',
    ],
    confirmed: ['It is you', 'Close this page, go back to the other one and go on there.'],
  },
  zh: {
    back: '返回登录页',
    away: [
      '公司登录没有响应',
      '暂时无法连接贵公司的登录服务，或它拒绝了本服务。请稍后重试；使用密码登录不受影响。管理员可以在日志中查看原因。',
    ],
    untrusted: [
      '公司登录的应答未被接受',
      '应答没有通过校验，因此没有登录。请重新开始；如果再次出现，请联系本服务的管理员。',
    ],
    expired: ['本次登录已失效', '登录超时、已经完成，或是在另一个浏览器或标签页中发起的。请重新开始。'],
    declined: ['没有登录', '贵公司的登录服务拒绝了本次登录，或登录已被取消。'],
    stale: [
      '公司登录没有确认你的身份',
      '应答没有说明你刚刚登录过。请重试；如果再次出现，请告诉管理员：登录服务必须提供 auth_time 声明。',
    ],
    email: ['公司没有提供已验证的邮箱', '账户需要一个由贵公司登录服务验证过的邮箱地址。请联系负责该服务的人员。'],
    taken: [
      '已有使用此邮箱的账户',
      '该账户的邮箱从未在此验证，可能属于他人，因此没有关联。如果是你的账户，请通过邮件设置新密码（邮件中的链接会验证邮箱），然后再次从这里登录；也可以联系本服务的管理员。',
    ],
    role: ['你无权登录', '贵公司的登录服务没有给你本服务要求的角色。请联系负责该服务的人员。'],
    disabled: ['此账户已停用', '请联系本服务的管理员。'],
    other: ['这是另一个账户', '你在公司登录的身份不是当前会话的持有人。没有做任何更改。'],
    confirmed: ['身份已确认', '请关闭本页，回到原来的页面继续操作。'],
  },
};
