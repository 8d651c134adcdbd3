/** Who makes accounts on the site (PULSE_SIGNUP). `open`: every visitor, at once. `mail`: a visitor who follows a link sent to the address. `off`: the operator alone. */
export type SignUpPolicy = 'open' | 'mail' | 'off';
