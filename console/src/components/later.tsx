import { Skeleton } from '@mantine/core';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component whose module is fetched when it is first shown, and that is drawn as soon as it is there.
 * (React's `lazy` holds a part back for 300 ms after its placeholder was drawn, also where the module comes
 * within ten.) A module that cannot be fetched is thrown to the error boundary.
 * @param placeholder stands in its room meanwhile
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = <Skeleton height={320} radius="lg" />,
) {
  let Loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, redraw] = useState({});
    const [failure, setFailure] = useState<{ readonly cause: unknown }>();
    useEffect(() => {
      if (Loaded !== undefined) return;
      let shown = true;
      load().then(
        (component) => {
          Loaded = component;
          if (shown) redraw({});
        },
        (cause: unknown) => shown && setFailure({ cause }),
      );
      return () => {
        shown = false;
      };
    }, []);
    if (failure !== undefined) throw failure.cause;
    return Loaded === undefined ? placeholder : <Loaded {...props} />;
  };
}
