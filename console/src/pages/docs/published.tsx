import { Alert, Skeleton } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocale } from '../../locale.tsx';

interface Props<Body> {
  readonly path: string;
  readonly children: (body: Body) => ReactNode;
}

/** Shows a public document of this service. */
export function Published<Body extends object>({ path, children }: Props<Body>) {
  const { t } = useLocale();
  const [body, setBody] = useState<Body | 'failed'>();
  useEffect(() => {
    fetch(path)
      .then((response) => response.json())
      .then(setBody, () => setBody('failed'));
  }, [path]);
  if (body === undefined) return <Skeleton height={480} />;
  return body === 'failed' ? <Alert color="red">{t.problem.offline.text}</Alert> : children(body);
}
