import type { Locale } from '../../../locale.tsx';

type Named = Readonly<Record<string, readonly [chinese: string, english: string]>>;

const CARRIERS: Named = {
  CMCC: ['中国移动', 'China Mobile'],
  CUCC: ['中国联通', 'China Unicom'],
  CTCC: ['中国电信', 'China Telecom'],
  CBN: ['中国广电', 'China Broadnet'],
};

/** Provinces of mainland China by ISO 3166-2 code. */
const PROVINCES: Named = {
  'CN-AH': ['安徽', 'Anhui'],
  'CN-BJ': ['北京', 'Beijing'],
  'CN-CQ': ['重庆', 'Chongqing'],
  'CN-FJ': ['福建', 'Fujian'],
  'CN-GD': ['广东', 'Guangdong'],
  'CN-GS': ['甘肃', 'Gansu'],
  'CN-GX': ['广西', 'Guangxi'],
  'CN-GZ': ['贵州', 'Guizhou'],
  'CN-HA': ['河南', 'Henan'],
  'CN-HB': ['湖北', 'Hubei'],
  'CN-HE': ['河北', 'Hebei'],
  'CN-HI': ['海南', 'Hainan'],
  'CN-HL': ['黑龙江', 'Heilongjiang'],
  'CN-HN': ['湖南', 'Hunan'],
  'CN-JL': ['吉林', 'Jilin'],
  'CN-JS': ['江苏', 'Jiangsu'],
  'CN-JX': ['江西', 'Jiangxi'],
  'CN-LN': ['辽宁', 'Liaoning'],
  'CN-NM': ['内蒙古', 'Inner Mongolia'],
  'CN-NX': ['宁夏', 'Ningxia'],
  'CN-QH': ['青海', 'Qinghai'],
  'CN-SC': ['四川', 'Sichuan'],
  'CN-SD': ['山东', 'Shandong'],
  'CN-SH': ['上海', 'Shanghai'],
  'CN-SN': ['陕西', 'Shaanxi'],
  'CN-SX': ['山西', 'Shanxi'],
  'CN-TJ': ['天津', 'Tianjin'],
  'CN-XJ': ['新疆', 'Xinjiang'],
  'CN-XZ': ['西藏', 'Tibet'],
  'CN-YN': ['云南', 'Yunnan'],
  'CN-ZJ': ['浙江', 'Zhejiang'],
};

interface Carrier {
  readonly carrier?: string | undefined;
  readonly province?: string | undefined;
}

/** 中国移动 · 北京; a code without a name here as it is. */
export function carrierText({ carrier, province }: Carrier, locale: Locale): string {
  const name = (table: Named, code: string | undefined): string | undefined =>
    code === undefined ? undefined : (table[code]?.[locale === 'zh' ? 0 : 1] ?? code);
  return [name(CARRIERS, carrier), name(PROVINCES, province)].filter((part) => part !== undefined).join(' · ');
}
