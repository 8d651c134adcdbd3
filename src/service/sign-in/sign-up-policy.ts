/**
 * Who creates accounts on the site (PULSE_SIGNUP). `open`: every visitor, at once. `mail`: a visitor who
 * follows a mailed link. `off`: only the operator.
 */
export type SignUpPolicy = 'open' | 'mail' | 'off';
