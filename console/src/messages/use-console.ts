import { useLocale } from '../locale.tsx';
import { type ConsoleMessages, consoleEn } from './console.en.ts';
import { consoleZh } from './console.zh.ts';

export function useConsole(): ConsoleMessages {
  const { locale } = useLocale();
  return locale === 'zh' ? consoleZh : consoleEn;
}
