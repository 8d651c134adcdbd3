/**
 * Accounts are made by every visitor, by one who follows a mailed link, or by the operator alone. The document
 * says it.
 */
export const signUpPolicy = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="sign-up"]')?.content ?? 'open';
