import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useLocale } from '../locale.tsx';

interface Props {
  readonly text: string;
  readonly label?: string;
  /** A small sign in place of the label. */
  readonly icon?: boolean;
}

/** Copies a text and says so. `label` is the text before; the confirmation is announced politely. */
export function CopyButton({ text, label, icon = false }: Props) {
  const { t } = useLocale();
  const clipboard = useClipboard({ timeout: 1500 });
  const says = clipboard.copied ? t.site.copied : (label ?? t.site.copy);
  const copy = (): void => clipboard.copy(text);
  if (!icon)
    return (
      <Button variant="default" size="xs" onClick={copy}>
        <span aria-live="polite">{says}</span>
      </Button>
    );
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={says} onClick={copy}>
      <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
        <path d={clipboard.copied ? 'm3 8 4 4 6-8' : 'M5 5h8v8H5zM10 5V2H2v8h3'} strokeWidth="1.5" />
      </svg>
    </ActionIcon>
  );
}
