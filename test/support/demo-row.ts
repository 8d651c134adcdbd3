import type { DemoAddress } from '../../src/service/intake/demo-addresses.ts';

export const demoRow = ({ look, shows }: DemoAddress): string => `| \`${look}\` | ${shows} |`;
