import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useLocale } from '../locale.tsx';

export function VerdictSkeleton() {
  const { t } = useLocale();
  return (
    <div role="status">
      <VisuallyHidden>{t.site.loading}</VisuallyHidden>
      <Skeleton height={240} radius="lg" />
    </div>
  );
}
