/**
 * PULSE_SIGNUP decides who creates accounts on the site. `open`: every visitor, at once. `mail`: a visitor
 * who follows a mailed link. `off`: only the operator.
 */
export type SignUpPolicy = 'open' | 'mail' | 'off';
