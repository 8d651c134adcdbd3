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
export const MAIL_TEXTS = { en, zh };
