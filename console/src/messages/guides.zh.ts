/** Name and summary of each guide of docs/, whose own text is English. */
export const guidesZh: Readonly<Record<string, readonly [name: string, summary: string]>> = {
  bulk: [
    '批量与日志',
    '用 pulse lookup 查询多个地址，用 pulse enrich 为日志或表格逐行加上判定，用 pulse summarize 汇总整份日志并列出风险最高的地址；全部在本机完成，不需要服务。',
  ],
  export: [
    '导出判定',
    '把当前有证据的地址导出为 MMDB、CSV、nftables、ipset、nginx、HAProxy 等文件并定期更新，供防火墙和反向代理使用。',
  ],
  clients: ['客户端', 'TypeScript 客户端、中间件与示例：超时、重试、批量，以及如何由判定得出放行、验证或拦截。'],
  rollout: [
    '稳妥上线',
    '先用自己的日志试跑策略，再只观察不拦截，最后逐步拦截；每一步都有数据可对照，避免误伤正常用户。',
  ],
  watchlists: ['监视名单', '登记自己的地址，结论变化时由签名的 Webhook 通知：设置、验证签名、重试与重发。'],
  phone: [
    '手机号风险',
    '读懂号码查询结果，在本机或页面上批量查询号码名单，导入号码库，以及号码如何以带密钥的哈希安全保存。',
  ],
  operating: ['运维', '部署、监控、备份与恢复、更换密钥、修复数据目录、升级。'],
  configuration: ['配置', '全部环境变量及其取值和默认值；有错误时启动会一次列出所有问题。'],
  accounts: ['账户、密钥与套餐', '创建账户与密钥、设定额度、要求第二因素、导出或删除个人数据。'],
  scaling: ['多节点', '多个节点共用数据库、Redis 与存储桶：部署方式、开销，以及某一部分故障时的影响。'],
  storage: ['证据存储', '证据库有哪些表、数据保留多久，以及如何发现存储被恢复或替换。'],
  feeds: [
    '公开数据源',
    '选择读取哪些公开名单，查看每个来源的状态、时效与许可，处理隔离的读取，以及用镜像在不联网的机器上使用。',
  ],
  'sensor-package': ['单独的传感器包', '把传感器和日志读取功能打成一个小安装包，部署在会遭受攻击的机器上。'],
  sensor: ['传感器', '运行 pulse sensor，把扫描和口令尝试变成自己的证据，并查看其计数与消息。'],
  follow: [
    '服务器日志',
    '用 pulse evidence follow 持续读取 sshd、nginx、fail2ban、Cowrie、Suricata 的日志，从中得到自己的证据。',
  ],
  enforcement: [
    '执行结论',
    '让反向代理、CrowdSec 阻断器和防火墙直接使用结论：/v1/decide、决策流、按网址获取的名单和放行名单。',
  ],
  beacons: ['信标', '让付费的代理、VPN、拨号、云手机与云函数出口主动上报，成为带时间的自有证据。'],
  'evidence-intake': ['证据接收接口', '通过 POST /v1/evidence 上报捕获记录，查看上报方的状态，撤回证据或取消信任。'],
  assistants: ['已验证的 AI 助手', '如何按厂商公布的网段验证 AI 助手的请求，以及它们各自的每日额度。'],
  site: ['网站与控制台', '网站和控制台有哪些页面、谁能使用，以及在隐私与安全上的保证。'],
  demo: ['演示', 'npm start -- --demo 不联网即可看到每种风险类型、状态和等级。'],
  accuracy: ['准确性', '用带日期的公开名单检验评分：如何复现，以及测得的结果。'],
  benchmarks: ['性能', '如何用一条命令复现每一项性能数据，以及在双核机器上的结果。'],
  'threat-model': ['威胁模型', '保护的对象、可能的攻击者、每道防线和对应的测试，以及已接受的风险。'],
};
