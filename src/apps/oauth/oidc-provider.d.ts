/** Types of the oidc-provider files that authorization-server.ts loads. */
declare module 'oidc-provider/lib/provider.js' {
  export const Provider: typeof import('oidc-provider').default;
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  export const CustomOIDCProviderError: typeof import('oidc-provider').errors.CustomOIDCProviderError;
  export const InvalidTarget: typeof import('oidc-provider').errors.InvalidTarget;
  export const InvalidGrant: typeof import('oidc-provider').errors.InvalidGrant;
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  export const Check: typeof import('oidc-provider').interactionPolicy.Check;
  export const Prompt: typeof import('oidc-provider').interactionPolicy.Prompt;
}
