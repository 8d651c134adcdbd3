/** The page's style nonce, which comes with the document; the policy forbids inline styles without it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
