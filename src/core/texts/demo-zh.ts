/** Chinese of the demonstration's addresses, each in a few words. */
export const DEMO_ZH = {
  'open proxy seen minutes ago, eight days running: high': '数分钟前出现的开放代理，连续八天：高',
  'subscriber device in a proxy pool: high, T2, pool': '代理池中的用户设备：高，T2，有资源池',
  'redialling broadband line: high': '重拨的宽带线路（秒拨）：高',
  'Tor exit: medium, T3, pool': 'Tor 出口：中，T3，有资源池',
  'VPN exit on hosting space: medium, T2, pool': '机房中的 VPN 出口：中，T2，有资源池',
  'serverless egress: medium': '云函数出口：中',
  'cloud-phone farm: high': '云手机集群：高',
  'on three independent threat lists': '出现在三份独立的威胁名单',
  'scans honeypots: medium, no signal slug': '扫描蜜罐：中，无信号',
  'guesses passwords at honeypots: high': '对蜜罐猜测口令：高',
  'abusive IPv6 /64: medium': '滥用的 IPv6 /64：中',
  'the same for a whole /48: low': '同上，整个 /48：低',
  'several kinds at once: close to 100': '同时有多种证据：接近 100',
  'proxy a week ago: decayed': '一周前的代理：已衰减',
  'VPN exit at the end of its window: low': '有效期末的 VPN 出口：低',
  'was a proxy two months ago: stale, 0': '两个月前曾是代理：已过期，0',
  'IPv6, was abusive, stale': 'IPv6，曾有滥用，已过期',
  'mobile carrier, never seen: none, T3': '移动运营商，从未出现：无，T3',
  'crawler, never seen: none': '爬虫，从未出现：无',
  'private relay egress: never vpn, T3': '隐私中继出口：绝不计为 VPN，T3',
  'DNS service, never seen: none, T0': 'DNS 服务，从未出现：无，T0',
  'university: none, T2': '高校：无，T2',
} as const satisfies Record<string, string>;

export type DemoText = keyof typeof DEMO_ZH;
