export const SITE_HEAD = {
  'zh-CN': {
    title: 'Pulse：IP 风险查询，证据新鲜可查',
    description:
      '查询 IP 当前是否为代理、VPN、秒拨、被劫持设备、爬虫或机房，证据有多新。支持私有部署，提供 API 与 MCP。',
    noScript: '本页面需要启用 JavaScript。也可以直接调用 API：',
  },
  en: {
    title: 'Pulse: is this IP risky right now?',
    description:
      'Is this address a proxy, VPN, redial pool, hijacked relay, crawler or data centre now, and how fresh is the evidence? Self-hosted, with API and MCP.',
    noScript: 'This page needs JavaScript. You can call the API instead:',
  },
} as const;
