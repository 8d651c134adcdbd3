import type { Links } from '../../apps/http/services.ts';
import type { Config } from '../../config.ts';

/** Public address of the deployment: the configured one, or the one it listens on. */
export const baseUrlOf = (config: Pick<Config, 'baseUrl' | 'host' | 'port'>): string =>
  config.baseUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;

export function linksOf(config: Pick<Config, 'baseUrl' | 'host' | 'port' | 'signup'>): Links {
  const base = baseUrlOf(config);
  return {
    ...(config.signup !== 'off' && { signup: `${base}/en/console/sign-up` }),
    pricing: `${base}/en/docs/quotas`,
    console: `${base}/en/console`,
  };
}
