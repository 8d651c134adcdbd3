import { Alert, Button, Container, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useLocale } from '../locale.tsx';

/** Shows a way out instead of an empty page when a page breaks, or when a part of it could not be fetched. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { readonly broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    return this.state.broken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const { t } = useLocale();
  return (
    <Container size="sm">
      <Alert color="red" role="alert" title={t.site.error.title}>
        <Stack align="flex-start">
          <Text>{t.site.error.text}</Text>
          <Button variant="default" onClick={() => location.reload()}>
            {t.site.error.reload}
          </Button>
        </Stack>
      </Alert>
    </Container>
  );
}
