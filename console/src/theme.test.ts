import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  defaultVariantColorsResolver,
  luminance,
  mergeMantineTheme,
} from '@mantine/core';
import { LEVELS } from '../../src/contract/risk.ts';
import { theme as own } from './theme.ts';
import { levelColour } from './verdict/level-colour.ts';

const theme = mergeMantineTheme(DEFAULT_THEME, own);
const variables = defaultCssVariablesResolver(theme);

/**
 * Colours of badges, buttons and messages by the variants in which the site uses them; the browser tests see
 * few of these states.
 */
const USED = {
  filled: ['pulse', 'gray', 'red', 'orange', 'yellow', 'teal', 'blue.8', ...LEVELS.map(levelColour)],
  light: ['pulse', 'gray', 'red', 'orange', 'yellow', 'teal'],
} as const;

/** WCAG 2.2, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

for (const scheme of ['light', 'dark'] as const)
  test(`text on every colour that the site uses has a contrast of 4.5 in the ${scheme} scheme, pointed at or not`, () => {
    const all: Readonly<Record<string, string>> = { ...variables.variables, ...variables[scheme] };
    const resolved = (colour: string): string => {
      const name = /^var\((.+)\)$/.exec(colour)?.[1];
      return name === undefined ? colour : resolved(all[name]!);
    };
    const faint = Object.entries(USED).flatMap(([variant, colours]) =>
      colours.flatMap((color) => {
        const {
          background,
          hover,
          color: text,
        } = defaultVariantColorsResolver({ theme, color, variant, autoContrast: true });
        // A colour with its shade is one of badges, which are not pressed.
        return [background, ...(color.includes('.') ? [] : [hover])]
          .map((ground) => contrast(resolved(ground), resolved(text)))
          .filter((found) => !(found >= 4.5))
          .map((found) => `${variant} ${color} ${found.toFixed(2)}`);
      }),
    );
    assert.deepEqual(faint, []);
  });
