import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useLocale } from '../locale.tsx';

/** Copies a text and says so. `label` is the text before; the confirmation is announced politely. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t } = useLocale();
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Button variant="default" size="xs" onClick={() => clipboard.copy(text)}>
      <span aria-live="polite">{clipboard.copied ? t.site.copied : (label ?? t.site.copy)}</span>
    </Button>
  );
}
