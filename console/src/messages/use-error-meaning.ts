import { ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import { useLocale } from '../locale.tsx';

/** Chinese meaning of every code; English comes from the error table itself. A code without a row does not compile. */
const ZH: Readonly<Record<ErrorCode, string>> = {
  invalid_ip: '不是有效的 IPv4 或 IPv6 地址。',
  reserved_ip: '私有或保留地址，没有公开的风险画像。',
  key_in_query: '密钥请放在 X-API-Key 或 Authorization 请求头中，不能放在查询串里。',
  invalid_time: 'at 必须是 RFC 3339 时间且不在未来；带正偏移时加号写成 %2B。',
  at_out_of_window: 'at 早于可回答的最早时刻，见 window_from。',
  history_not_enabled: '本部署没有保存历史。',
  history_no_ipv6: '历史只覆盖 IPv4。',
  bad_request: '请求不符合文档规定的形式。',
  bad_number: '号码无法解析。',
  key_required: '需要 API 密钥，请放在 X-API-Key 请求头中。',
  invalid_key: 'API 密钥无效。',
  revoked_key: 'API 密钥已吊销。',
  key_expired: 'API 密钥已过期。',
  professional_required: '此接口需要专业版密钥。',
  history_requires_professional: 'at 参数需要专业版密钥。',
  capability_not_eligible: '账户的套餐不支持手机号能力。',
  capability_not_enabled: '此密钥未开通手机号能力。',
  forbidden: '该请求不被允许。',
  not_found: '没有找到。',
  method_not_allowed: '此路径不支持该方法，见 Allow 响应头。',
  payload_too_large: '请求过大。',
  unsupported_media_type: '请发送 application/json。',
  rate_limited: '本分钟请求过多。',
  quota_exceeded: '每日额度已用完。',
  quota_exceeded_anon: '此地址的匿名每日额度已用完。',
  key_quota_exceeded: '此密钥的每日额度已用完。',
  quota_exceeded_ai_agent: '该 AI 助手家族的每日额度已用完。',
  batch_over_rate_limit: '批量大于每分钟额度，永远无法通过，请拆分。',
  internal_error: '意外故障。',
  upstream_unavailable: '手机号数据库不可达，未计费。',
  not_ready: '服务正在启动，或暂时无法读取记录，请稍后重试。',
  history_unavailable: '历史存储不可读，请稍后重试。',
  phone_disabled: '本部署关闭了手机号能力。',
  quota_unavailable: '计费后端未就绪，请稍后重试。',
  missing_ip: '缺少参数 ip。',
  email_taken: '该邮箱已注册。',
  invalid_credentials: '邮箱或密码不正确。',
  link_invalid: '链接无效或已过期。',
  sign_in_required: '请先登录。',
  weak_password: '密码太弱。',
};

export function useErrorMeaning(): (code: ErrorCode) => string {
  const { locale } = useLocale();
  return (code) => (locale === 'zh' ? ZH[code] : ERRORS[code].message);
}
