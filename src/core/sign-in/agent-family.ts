/** Browsers by a mark in their user agent. The first match wins, because most name others too. */
const BROWSERS = [
  ['MicroMessenger/', 'WeChat'],
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['HuaweiBrowser/', 'Huawei Browser'],
  ['MiuiBrowser/', 'Mi Browser'],
  ['QQBrowser/', 'QQ Browser'],
  ['UCBrowser/', 'UC Browser'],
  ['YaBrowser/', 'Yandex Browser'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;

const SYSTEMS = [
  ['OpenHarmony', 'HarmonyOS'],
  ['HarmonyOS', 'HarmonyOS'],
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/**
 * Returns the family of browser and system of a user agent, such as `Firefox, Windows`, without versions;
 * empty if unknown.
 */
export function agentFamily(userAgent: string): string {
  const names = [BROWSERS, SYSTEMS].map((marks) => marks.find(([mark]) => userAgent.includes(mark))?.[1]);
  return names.filter((name) => name !== undefined).join(', ');
}
