/**
 * The parts of oidc-provider that we use, by the files its own index joins. The index itself is left out: on loading it looks for a long-term-support
 * name in `process.release`, which the runtime that this project pins does not carry, and would print a warning in every thread. Which runtime it is, is
 * settled before this loads (bin/pulse.mjs). The library is pinned to one version, and the tests of the sign-in run over it.
 */
export { CustomOIDCProviderError, InvalidGrant, InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
export { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { Provider } from 'oidc-provider/lib/provider.js';
