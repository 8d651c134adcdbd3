const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * Splits a URL with a list of hosts (`postgres://user@a:5432,b:5432/name`, as libpq takes it) into one URL for
 * each host. A URL of another form is returned as it is.
 */
export function databaseAddresses(url: string): readonly [string, ...string[]] {
  const [, before, hosts, after] = LIST.exec(url) ?? [];
  const [first, ...others] = hosts?.split(',').map((host) => `${before}${host}${after}`) ?? [];
  return [first ?? url, ...others];
}
