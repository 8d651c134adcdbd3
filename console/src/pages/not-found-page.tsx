import { Container, Stack, Text, Title } from '@mantine/core';
import { ButtonLink } from '../components/shell.tsx';
import { useLocale } from '../locale.tsx';
import { usePageTitle } from '../use-document-head.ts';

export function NotFoundPage() {
  const { t, to } = useLocale();
  usePageTitle(t.site.notFound.title);
  return (
    <Container size="sm">
      <Stack align="flex-start" mt="xl">
        <Title order={1}>{t.site.notFound.title}</Title>
        <Text>{t.site.notFound.text}</Text>
        <ButtonLink href={to('/')}>{t.site.notFound.back}</ButtonLink>
      </Stack>
    </Container>
  );
}
