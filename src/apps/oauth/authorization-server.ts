/**
 * The parts of oidc-provider that we use, loaded by their own files. Its index looks for a long-term-support
 * name in `process.release`, which the pinned runtime lacks, and would print a warning in every thread.
 * bin/pulse.mjs has checked the runtime before this loads.
 * The library is pinned to one version, and the tests of the sign-in flow run over it.
 */
export { CustomOIDCProviderError, InvalidGrant, InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
export { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { Provider } from 'oidc-provider/lib/provider.js';
