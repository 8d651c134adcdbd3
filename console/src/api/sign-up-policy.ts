/**
 * Who makes accounts here: every visitor, one who follows a mailed link, or the operator alone. The document
 * says it.
 */
export const signUpPolicy = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="sign-up"]')?.content ?? 'open';
