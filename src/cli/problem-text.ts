import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Problem } from '../service/problem.ts';
import type { Language } from './language-of.ts';

/** The message of a problem for the person at the terminal. One that a command words itself stays as it is. */
export const problemText = ({ code, message }: Pick<Problem, 'code' | 'message'>, language: Language): string =>
  language === 'zh' && message === ERRORS[code].message ? (ZH[code] ?? message) : message;

/** Problems that commands run into. */
const ZH: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_ip: '不是有效的 IPv4 或 IPv6 地址。',
  reserved_ip: '内网或保留地址，没有公网风险信息。',
  invalid_time: '时刻必须是 RFC 3339 格式，且不晚于现在。',
  at_out_of_window: '早于可回答的最早时刻，见 window_from。',
  history_not_enabled: '本部署不保留历史。',
  history_no_ipv6: '历史只包含 IPv4。',
  history_unavailable: '暂时无法读取历史，请稍后重试。',
  bad_number: '无法解析这个号码。',
  not_found: '没有找到记录。',
  email_taken: '这个邮箱已有账户。',
  weak_password: '新密码太短、太长或太容易猜到。',
  upstream_unavailable: '无法连接号码风险库，未计费。',
  phone_disabled: '本部署关闭了号码查询。',
  not_ready: '服务正在启动，或暂时无法读取记录，请稍后重试。',
};
