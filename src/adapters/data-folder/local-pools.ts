import type { Config } from '../../config.ts';
import type { PoolOptions } from '../../service/lookup/pool-handles.ts';
import { loadSecret, type SecretTarget } from './deployment-secret.ts';

export const localPools = (config: SecretTarget & Pick<Config, 'account'>): PoolOptions => ({
  secret: loadSecret(config).subkey('pool-handle'),
  ...(config.account !== undefined && { account: config.account }),
});
