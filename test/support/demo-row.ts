import type { DemoAddress } from '../../src/service/intake/demo-addresses.ts';

/** Row of an address in docs/demo.md. */
export const demoRow = ({ look, shows }: DemoAddress): string => `| \`${look}\` | ${shows} |`;
