/** The document says whether accounts are also signed in to at a company's provider. */
export const hasCompanySignOn = (): boolean => document.querySelector('meta[name="company-sign-on"]') !== null;
