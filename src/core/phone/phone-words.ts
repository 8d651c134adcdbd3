/**
 * Words about phone numbers in one language, for pages and terminals. Documents carry codes and slugs
 * instead.
 */
export interface PhoneWords {
  readonly tag: string;
  readonly number: string;
  readonly country: string;
  /** Marks a country that the number does not state. */
  readonly assumed: string;
  readonly found: string;
  readonly yes: string;
  readonly miss: Readonly<Record<'not_in_risk_db' | 'unqueryable_bad_length' | 'bad_number', string>>;
  readonly state: string;
  readonly states: Readonly<Record<'active' | 'stale' | 'none', string>>;
  readonly risk: string;
  readonly levels: Readonly<Record<'high' | 'medium' | 'low' | 'none', string>>;
  /** A score out of 9 with its level. */
  readonly scored: string;
  readonly tags: string;
  readonly carrier: string;
  readonly lineType: string;
  readonly cardType: string;
  readonly firstSeen: string;
  readonly lastActive: string;
  readonly daysAgo: string;
  readonly missIsNotSafe: string;
  readonly staleIsWeak: string;
  readonly comma: string;
  /** Names by slug or code. One that is missing here is shown as it is. */
  readonly names: Readonly<Record<string, string>>;
}

const en = {
  tag: 'en',
  number: 'Number',
  country: 'Country',
  assumed: '{country} (assumed)',
  found: 'Found',
  yes: 'yes',
  miss: {
    not_in_risk_db: 'Not in the risk libraries',
    unqueryable_bad_length: 'The length does not fit a number of this country',
    bad_number: 'Not a phone number',
  },
  state: 'State',
  states: { active: 'Active', stale: 'Not seen for over 90 days', none: 'Never seen' },
  risk: 'Risk',
  levels: { high: 'High', medium: 'Medium', low: 'Low', none: 'None' },
  scored: '{score}/9 {level}',
  tags: 'Tags',
  carrier: 'Carrier and province',
  lineType: 'Number block',
  cardType: 'Card',
  firstSeen: 'First seen',
  lastActive: 'Last seen',
  daysAgo: '{date} (days ago: {n})',
  missIsNotSafe: '“Not in the risk libraries” does not mean safe.',
  staleIsWeak: 'Not seen for over 90 days: the number may have a new holder. Give it less weight.',
  comma: ', ',
  names: {
    CMCC: 'China Mobile',
    CUCC: 'China Unicom',
    CTCC: 'China Telecom',
    CBN: 'China Broadnet',
    'CN-AH': 'Anhui',
    'CN-BJ': 'Beijing',
    'CN-CQ': 'Chongqing',
    'CN-FJ': 'Fujian',
    'CN-GD': 'Guangdong',
    'CN-GS': 'Gansu',
    'CN-GX': 'Guangxi',
    'CN-GZ': 'Guizhou',
    'CN-HA': 'Henan',
    'CN-HB': 'Hubei',
    'CN-HE': 'Hebei',
    'CN-HI': 'Hainan',
    'CN-HL': 'Heilongjiang',
    'CN-HN': 'Hunan',
    'CN-JL': 'Jilin',
    'CN-JS': 'Jiangsu',
    'CN-JX': 'Jiangxi',
    'CN-LN': 'Liaoning',
    'CN-NM': 'Inner Mongolia',
    'CN-NX': 'Ningxia',
    'CN-QH': 'Qinghai',
    'CN-SC': 'Sichuan',
    'CN-SD': 'Shandong',
    'CN-SH': 'Shanghai',
    'CN-SN': 'Shaanxi',
    'CN-SX': 'Shanxi',
    'CN-TJ': 'Tianjin',
    'CN-XJ': 'Xinjiang',
    'CN-XZ': 'Tibet',
    'CN-YN': 'Yunnan',
    'CN-ZJ': 'Zhejiang',
    basic_operator: 'network operator',
    virtual_operator: 'virtual operator (MVNO)',
    iot: 'machines (M2M)',
    satellite: 'satellite',
    data_only: 'data cards',
    emergency_service: 'emergency communication',
    postpaid: 'postpaid',
    prepaid: 'prepaid',
    esim: 'eSIM',
    data_card: 'data card',
    iot_card: 'IoT card',
    secondary_number: 'secondary number',
    corporate: 'corporate',
    sim_farm: 'SIM farm',
    sms_intercepted: 'Intercepted SMS',
    sms_receiving_platform: 'SMS receiving platform',
    public_sms_inbox: 'Public SMS inbox',
    account_farming: 'Account farming',
    bulk_registration: 'Bulk registration',
    crowdsourced: 'Crowdsourced',
    privacy_number: 'Privacy number',
    virtual_number: 'Virtual number',
    promotion_abuse: 'Promotion abuse',
    sms_pumping: 'SMS pumping',
    fraud_reported: 'Reported for fraud',
    spam_caller: 'Spam caller',
    recycled: 'Recycled number',
    dormant: 'Dormant',
    suspected: 'Suspected',
  },
} satisfies PhoneWords;

const zh = {
  tag: 'zh-CN',
  number: '号码',
  country: '国家或地区',
  assumed: '{country}（未写国家码）',
  found: '命中',
  yes: '是',
  miss: {
    not_in_risk_db: '风险库未收录',
    unqueryable_bad_length: '位数不符合该国家的号码规则',
    bad_number: '不是电话号码',
  },
  state: '状态',
  states: { active: '有效', stale: '超过 90 天未出现', none: '没有记录' },
  risk: '风险',
  levels: { high: '高', medium: '中', low: '低', none: '无' },
  scored: '{score}/9 {level}',
  tags: '标签',
  carrier: '运营商与归属地',
  lineType: '号段',
  cardType: '卡类型',
  firstSeen: '首次出现',
  lastActive: '最近出现',
  daysAgo: '{date}（{n} 天前）',
  missIsNotSafe: '“风险库未收录”不代表安全。',
  staleIsWeak: '超过 90 天未出现：号码可能已换人使用，请降低权重。',
  comma: '、',
  names: {
    CMCC: '中国移动',
    CUCC: '中国联通',
    CTCC: '中国电信',
    CBN: '中国广电',
    'CN-AH': '安徽',
    'CN-BJ': '北京',
    'CN-CQ': '重庆',
    'CN-FJ': '福建',
    'CN-GD': '广东',
    'CN-GS': '甘肃',
    'CN-GX': '广西',
    'CN-GZ': '贵州',
    'CN-HA': '河南',
    'CN-HB': '湖北',
    'CN-HE': '河北',
    'CN-HI': '海南',
    'CN-HL': '黑龙江',
    'CN-HN': '湖南',
    'CN-JL': '吉林',
    'CN-JS': '江苏',
    'CN-JX': '江西',
    'CN-LN': '辽宁',
    'CN-NM': '内蒙古',
    'CN-NX': '宁夏',
    'CN-QH': '青海',
    'CN-SC': '四川',
    'CN-SD': '山东',
    'CN-SH': '上海',
    'CN-SN': '陕西',
    'CN-SX': '山西',
    'CN-TJ': '天津',
    'CN-XJ': '新疆',
    'CN-XZ': '西藏',
    'CN-YN': '云南',
    'CN-ZJ': '浙江',
    basic_operator: '基础运营商',
    virtual_operator: '虚商（虚拟运营商）',
    iot: '物联网',
    satellite: '卫星电话',
    data_only: '上网卡',
    emergency_service: '应急通信',
    postpaid: '后付费',
    prepaid: '预付费',
    esim: 'eSIM',
    data_card: '上网卡',
    iot_card: '物联网卡',
    secondary_number: '副号',
    corporate: '企业卡',
    sim_farm: '猫池卡',
    sms_intercepted: '短信被拦截',
    sms_receiving_platform: '接码平台',
    public_sms_inbox: '公开接码',
    account_farming: '养号',
    bulk_registration: '批量注册',
    crowdsourced: '众包接码',
    privacy_number: '隐私小号',
    virtual_number: '虚拟号码',
    promotion_abuse: '薅羊毛',
    sms_pumping: '短信盗刷',
    fraud_reported: '涉诈举报',
    spam_caller: '骚扰电话',
    recycled: '二次号',
    dormant: '沉默号',
    suspected: '疑似风险',
  },
} satisfies PhoneWords;

export const PHONE_WORDS: Readonly<Record<'en' | 'zh', PhoneWords>> = { en, zh };
