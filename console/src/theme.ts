import { createTheme, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core';

/** Deep teal: calm, and far from the level colours, so that the brand is never read as a verdict. */
const pulse: MantineColorsTuple = [
  '#e7f6f5',
  '#d0ebe9',
  '#a2d7d3',
  '#70c2bc',
  '#47b0a9',
  '#2ba59d',
  '#0f8f87',
  '#0b7a75',
  '#06635f',
  '#004b48',
];

/** The dark scheme's surfaces lean to blue like the rest of the site; Mantine's own are neutral. */
const dark: MantineColorsTuple = [
  '#d5dce3',
  '#b4bec8',
  '#98a3ae',
  '#66717c',
  '#2b3642',
  '#222c36',
  '#1a232d',
  '#10171f',
  '#0d1219',
  '#0a0e13',
];

/** Shade 7 lies under white text, shade 9 is text on shade 1: Mantine's own are too pale for WCAG AA there. */
const withDark = (name: string, ...dark: readonly [string, string, string]): MantineColorsTuple =>
  [...DEFAULT_THEME.colors[name]!.slice(0, 7), ...dark] as unknown as MantineColorsTuple;

export const theme = createTheme({
  primaryColor: 'pulse',
  primaryShade: 7,
  colors: {
    pulse,
    dark,
    red: withDark('red', '#c92a2a', '#b32424', '#a61e1e'),
    orange: withDark('orange', '#b84207', '#a33a06', '#943505'),
    yellow: withDark('yellow', '#f59f00', '#f08c00', '#7c4a03'),
    teal: withDark('teal', '#087f5b', '#066b4c', '#055f43'),
  },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
