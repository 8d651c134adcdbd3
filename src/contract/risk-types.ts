export interface SlugWords {
  readonly name: string;
  readonly text: string;
}

/**
 * CONTRIBUTING.md says which files a new risk type touches.
 * - `witness`: `list`: published lists alone bring it. `beacon`: a beacon can witness it too, as its caller pays for
 *   the service. `own`: only own sensors, logs, the intake and derivation bring it.
 * - `raisesTier`: active evidence raises the sharing tier (decisions 3) to T2 at least, or by one step as a household
 *   does.
 */
export interface RiskTypeRow {
  readonly en: SlugWords;
  readonly zh: SlugWords;
  readonly colour: string;
  readonly signal: boolean;
  readonly witness: 'list' | 'beacon' | 'own';
  readonly raisesTier?: 'to_t2' | 'by_one';
  /** See `TypeParameters` and docs/score.md. A changed number needs a new version of the parameters. */
  readonly parameters: {
    readonly base: number;
    readonly windowHours: number;
    readonly delta: number;
    readonly persistence: number;
  };
  readonly sandbox: {
    readonly ip: string;
    readonly remark?: string;
    readonly hosting?: true;
    /** Newest age, days with a capture (default 1), and what `SandboxCaptures` has besides. */
    readonly captures: readonly {
      readonly ageMin: number;
      readonly days?: number;
      readonly family?: string;
      readonly pool?: string;
      readonly bits?: number;
    }[];
  };
}

/** The risk types of evidence rows. Their order is the storage order: append only. */
export const RISK_TYPE_ROWS = {
  proxy: {
    en: { name: 'Proxy', text: 'Offered as a proxy: open, rotating or resold.' },
    zh: { name: '代理', text: '作为代理出口提供：开放代理、轮换代理池或转售代理。' },
    colour: 'red',
    signal: true,
    witness: 'beacon',
    raisesTier: 'to_t2',
    parameters: { base: 0.92, windowHours: 14 * 24, delta: 2, persistence: 1 },
    sandbox: { ip: '198.51.100.1', captures: [{ ageMin: 40, days: 3 }] },
  },
  vpn: {
    en: { name: 'VPN', text: 'Exit of a VPN service, usually a fixed one on hosting space, or of the Tor network.' },
    zh: { name: 'VPN', text: 'VPN 服务的出口（通常是机房中的固定 IP）或 Tor 网络的出口。' },
    colour: 'indigo',
    signal: true,
    witness: 'beacon',
    raisesTier: 'to_t2',
    parameters: { base: 0.65, windowHours: 30 * 24, delta: 0.5, persistence: 0 },
    sandbox: { ip: '198.51.100.2', hosting: true, captures: [{ ageMin: 40, days: 3 }] },
  },
  dialup_pool: {
    en: { name: 'Redial pool', text: 'Broadband lines that redial to get a fresh address for every connection.' },
    zh: { name: '秒拨', text: '家庭宽带反复重拨，每次连接换一个新 IP。' },
    colour: 'orange',
    signal: true,
    witness: 'beacon',
    raisesTier: 'to_t2',
    parameters: { base: 0.85, windowHours: 48, delta: 2, persistence: 1 },
    sandbox: { ip: '198.51.100.3', captures: [{ ageMin: 40, days: 3, pool: 'sandbox-redial' }] },
  },
  hijacked_proxy: {
    en: { name: 'Hijacked relay', text: 'A subscriber’s device relays traffic without its owner knowing.' },
    zh: { name: '被劫持的设备', text: '用户设备被植入程序，在机主不知情时转发流量。' },
    colour: 'pink',
    signal: true,
    witness: 'beacon',
    raisesTier: 'by_one',
    parameters: { base: 0.95, windowHours: 7 * 24, delta: 2, persistence: 1 },
    sandbox: { ip: '198.51.100.4', captures: [{ ageMin: 40, days: 3, pool: 'sandbox-residential' }] },
  },
  cloud_service: {
    en: { name: 'Cloud function', text: 'Exit of serverless or cloud-function traffic.' },
    zh: { name: '云函数', text: '云函数（Serverless）的出口 IP。' },
    colour: 'cyan',
    signal: true,
    witness: 'beacon',
    raisesTier: 'to_t2',
    parameters: { base: 0.35, windowHours: 30 * 24, delta: 0.5, persistence: 0 },
    sandbox: { ip: '198.51.100.5', hosting: true, captures: [{ ageMin: 40, days: 3 }] },
  },
  cloud_phone: {
    en: { name: 'Cloud phone', text: 'Exit of a farm of virtual phones.' },
    zh: { name: '云手机', text: '云手机集群的出口 IP。' },
    colour: 'teal',
    signal: true,
    witness: 'beacon',
    raisesTier: 'to_t2',
    parameters: { base: 0.8, windowHours: 14 * 24, delta: 1, persistence: 1 },
    sandbox: { ip: '198.51.100.6', hosting: true, captures: [{ ageMin: 40, days: 3 }] },
  },
  osint: {
    en: { name: 'Threat-listed', text: 'Named in public threat intelligence.' },
    zh: { name: '威胁情报', text: '被公开的威胁情报名单收录。' },
    colour: 'yellow',
    signal: true,
    witness: 'list',
    parameters: { base: 0.28, windowHours: 30 * 24, delta: 1, persistence: 0 },
    sandbox: {
      ip: '198.51.100.7',
      remark: ', on three independent lists',
      hosting: true,
      captures: [
        { ageMin: 40, days: 3, family: 'a' },
        { ageMin: 5 * 60, days: 5, family: 'b' },
        { ageMin: 2 * 24 * 60, family: 'c' },
      ],
    },
  },
  honeypot_scan: {
    en: { name: 'Scanned our honeypots', text: 'Connected to ports of our sensors that no service uses.' },
    zh: { name: '蜜罐扫描', text: '曾连接本服务传感器上无业务的端口。' },
    colour: 'grape',
    signal: false,
    witness: 'own',
    parameters: { base: 0.45, windowHours: 14 * 24, delta: 2, persistence: 1 },
    sandbox: {
      ip: '198.51.100.8',
      remark: ': scored without a signal',
      hosting: true,
      captures: [{ ageMin: 40, days: 3 }],
    },
  },
  honeypot_credential: {
    en: { name: 'Tried passwords at our honeypots', text: 'Offered credentials to our sensors.' },
    zh: { name: '蜜罐口令爆破', text: '曾在本服务的传感器上尝试口令。' },
    colour: 'violet',
    signal: false,
    witness: 'own',
    parameters: { base: 0.8, windowHours: 14 * 24, delta: 2, persistence: 1 },
    sandbox: {
      ip: '198.51.100.9',
      remark: ': high without a signal',
      captures: [{ ageMin: 3, days: 11 }],
    },
  },
  ipv6_range: {
    en: { name: 'Abusive IPv6 range', text: 'Many addresses of its IPv6 network scanned our sensors.' },
    zh: { name: 'IPv6 滥用网段', text: '其所在 IPv6 网段中的多个地址曾扫描本服务的传感器。' },
    colour: 'lime',
    signal: false,
    witness: 'own',
    parameters: { base: 0.4, windowHours: 7 * 24, delta: 2, persistence: 1 },
    sandbox: {
      ip: '2001:db8::3',
      remark: ': an abusive /64',
      captures: [{ ageMin: 3 * 60, days: 5, bits: 64 }],
    },
  },
} as const satisfies Readonly<Record<string, RiskTypeRow>>;

/** Signals that describe the network and never add to the score. */
export const NETWORK_SIGNAL_ROWS = {
  crawler: {
    en: { name: 'Crawler', text: 'Search engine or other known crawler, by its published ranges.' },
    zh: { name: '爬虫', text: '搜索引擎或其他已知爬虫，依据其官方公布的 IP 段。' },
  },
  hosting: {
    en: { name: 'Data centre', text: 'Describes the network; adds nothing to the score.' },
    zh: { name: '机房', text: '只说明网络类型，不计入分数。' },
  },
  mobile: {
    en: { name: 'Mobile carrier', text: 'Describes the network, shared by many people; adds nothing to the score.' },
    zh: { name: '移动网络', text: '只说明网络类型，通常多人共用，不计入分数。' },
  },
} as const satisfies Readonly<Record<string, Pick<RiskTypeRow, 'en' | 'zh'>>>;

type Rows = typeof RISK_TYPE_ROWS;
export type RiskTypesWith<Key extends 'signal' | 'witness', Value> = {
  [Type in keyof Rows]: Rows[Type][Key] extends Value ? Type : never;
}[keyof Rows];
