import type { Links } from '../../apps/http/services.ts';
import type { Config } from '../../config.ts';

type Address = Pick<Config, 'baseUrl' | 'host' | 'port'>;

/**
 * Public address of the deployment: the configured one, or the one it listens on. No client can use an
 * unspecified address, so `localhost` stands for it.
 */
export const baseUrlOf = (config: Address): string =>
  configUrlOf(config).replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, '$1localhost');

/** The address as configured, possibly an unspecified one, which means every network. */
export const configUrlOf = ({ baseUrl, host, port }: Address): string =>
  baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

export function linksOf(config: Address & Pick<Config, 'signup'>): Links {
  const base = baseUrlOf(config);
  return {
    ...(config.signup !== 'off' && { signup: `${base}/en/console/sign-up` }),
    pricing: `${base}/en/docs/quotas`,
    console: `${base}/en/console`,
  };
}
