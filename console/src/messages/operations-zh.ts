/** Chinese of the parameters and operations of openapi.json, which has the English. test/site/site-logic.test.ts compares the names. */
export const PARAMETERS_ZH: Readonly<Record<string, string>> = {
  ip: '公网 IPv4 或 IPv6 地址；私有与保留地址会被拒绝。',
  sandboxIp: '文档专用地址。',
  at: 'RFC 3339 时间，仅支持 IPv4：返回该时刻的判定。时区偏移中的加号要写成 %2B。',
  number: '号码，常见写法均可。',
  ips: '1 至 1,000 个地址；无法查询的地址单独返回错误。',
  numbers: '最多 1,000 个号码。',
  source: '传感器名称：小写字母、数字、点、短横线与下划线。',
  'Idempotency-Key': '批次名称：七天内重复发送只接收一次。',
  'X-Pulse-Sent-At':
    '发送时刻（发送方时钟，1970 年以来的毫秒数），用于判断传感器是否在线及其时钟偏差；带上它时请求体可以为空。',
};

export const OPERATIONS_ZH: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  lookupIp: { title: '查询 IP', text: '无需密钥，支持浏览器跨域调用。结果只代表判定那一刻，请勿缓存。' },
  lookupIpProfessional: {
    title: '查询 IP（含证据与历史）',
    text: '需要专业版密钥。at 被拒绝时不消耗当日额度，也不会改为返回实时判定。',
  },
  lookupIps: {
    title: '批量查询 IP，每次最多 1,000 个',
    text: '扩展接口。每个地址计入分钟额度，只有返回判定的地址计入当日额度。也接受 text/plain（每行一个地址）；Accept 为 application/x-ndjson 时每行返回一个结果。',
  },
  lookupIpsProfessional: {
    title: '批量查询 IP（含证据与历史）',
    text: '扩展接口，需要专业版密钥。所有地址按同一时刻判定：当前，或 at 指定的时刻。',
  },
  sandbox: { title: '沙箱地址列表', text: '扩展接口。每个地址及其返回内容。免费。' },
  lookupSandbox: {
    title: '沙箱：查询 IP',
    text: '扩展接口。对文档专用地址返回固定的判定或错误。无需密钥，不消耗额度。',
  },
  lookupSandboxProfessional: { title: '沙箱：查询 IP（含证据）', text: '扩展接口。同上，附带证据，支持 at。' },
  me: { title: '套餐、额度与用量', text: '查看密钥的权限和今日用量，不消耗额度。' },
  lookupPhone: {
    title: '查询手机号',
    text: '需要已开通手机号能力的企业账户。号码只能放在请求体中；仅返回 200 时计费。',
  },
  lookupPhones: {
    title: '批量查询手机号，每次最多 1,000 个',
    text: '整批计费：剩余额度不足时整批拒绝，不扣费。无法解析的号码不计费。',
  },
  phoneTags: { title: '标签与状态字典', text: '每个标识的名称与说明。免费。' },
  phoneCoverage: { title: '手机号库覆盖情况', text: '记录数、数据时间与更新周期。免费。' },
  sendEvidence: {
    title: '自有传感器上报捕获',
    text: '扩展接口，需要运维账户的密钥，仅上报密钥即可。每行一个 JSON 对象，或带表头的 CSV；支持 gzip；每次最多 100,000 行、8 MiB。',
  },
  reportExit: {
    title: '自有出口上报',
    text: '扩展接口。在代理、VPN、拨号线路或云手机内部用信标令牌调用，连接所用的出口地址即成为一条带时间的捕获。',
  },
};
