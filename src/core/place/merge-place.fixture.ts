/** Province, city and district in Chinese, and the code that they lead to. */
export const CHINESE_NAMES = [
  [['江苏省', '南京市'], '320100'],
  [['江苏', '南京'], '320100'],
  [['江苏省'], '320000'],
  [['北京市', '北京市'], '110000'],
  [['北京', '北京', '丰台区'], '110106'],
  [['重庆市', '重庆市', '万州区'], '500101'],
  [['广东省', '深圳市', '南山区'], '440305'],
  [['湖北省', '仙桃市'], '429004'],
  [['湖北省', '襄樊市'], '420600'],
  [['山东省', '莱芜市'], '370100'],
  [['浙江省', '杭州市', '下城区'], '330100'],
  [['新疆维吾尔自治区', '石河子市'], '659001'],
  [['云南省', '西双版纳'], '532800'],
  [['内蒙古', '锡林郭勒盟'], '152500'],
  [['广西', '南宁市'], '450100'],
  [['江苏省', '无此市'], '320000'],
  [['江苏省', '南京市', '福田区'], '320100'],
] as const;

/** Region and city as a world-wide layer names them, and the code that they lead to. */
export const LATIN_NAMES = [
  ['Jiangsu', 'Nanjing', '320100'],
  ['Beijing', 'Jinrongjie (Xicheng District)', '110000'],
  ['Guangdong', 'Gaoxin', '440000'],
  ['Guangdong', 'Shenzhen (Nanshan District)', '440300'],
  ['Inner Mongolia', 'Hohhot', '150100'],
  ['Shaanxi', "Xi'an", '610100'],
  ['Shaanxi', 'Xian', '610100'],
  ['Jiangsu', 'Kunshan', '320000'],
] as const;

/** What an owner states of an area in China, and the code of the place. */
export const STATED: readonly (readonly [region: string, city: string | undefined, code: string])[] = [
  ['CN-BJ', 'Beijing', '110000'],
  ['cn-bj', undefined, '110000'],
  ['CN-11', 'Beijing', '110000'],
  ['Beijing', 'Beijing', '110000'],
  ['CN-JS', 'Nanjing', '320100'],
  ['CN-32', '南京', '320100'],
  ['江苏省', '南京市', '320100'],
  ['CN-GD', 'Guangzhou', '440100'],
  ['CN-XJ', 'Urumqi', '650100'],
];
