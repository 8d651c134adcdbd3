import { Button, Group, useComputedColorScheme } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import type { TrafficSummary } from '../../../../../src/contract/traffic-summary.ts';
import type { AsName } from '../../../../../src/core/report/report-format.ts';
import { bulkReport } from '../../../bulk/bulk-report.ts';
import { useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { styleNonce } from '../../../style-nonce.ts';
import { downloadBlob } from '../download-text.ts';

interface Props {
  readonly summary: TrafficSummary;
  /** Name of the file. */
  readonly source: string;
  readonly asName: AsName;
}

/** Shown before the report has a height. */
const FIRST_HEIGHT = 600;

/** The report itself, in a frame that runs no script, as high as its content. */
export function BulkReportFrame({ summary, source, asName }: Props) {
  const c = useConsole();
  const { locale } = useLocale();
  const scheme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const shown = useMemo(
    () => bulkReport(summary, locale, { source, asName, scheme, nonce: styleNonce }),
    [summary, locale, source, asName, scheme],
  );
  const measure = (): void => {
    const root = frame.current?.contentDocument?.documentElement;
    if (root == null) return;
    const fit = (): void => setHeight(root.querySelector('main')?.getBoundingClientRect().height ?? FIRST_HEIGHT);
    new ResizeObserver(fit).observe(root.querySelector('main') ?? root);
  };
  const download = (): void => {
    const report = bulkReport(summary, locale, { source, asName });
    downloadBlob('pulse-report.html', new Blob([report], { type: 'text/html;charset=utf-8' }));
  };
  return (
    <div data-testid="bulk-report">
      <Group gap="sm" mb="sm" justify="flex-end">
        <Button variant="default" onClick={download}>
          {c.bulk.report}
        </Button>
        <Button variant="default" onClick={() => frame.current?.contentWindow?.print()}>
          {c.bulk.print}
        </Button>
      </Group>
      <iframe
        ref={frame}
        title={c.bulk.reportOf}
        // The page measures the frame, and the frame may print; without allow-scripts nothing in it can act.
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-modals"
        srcDoc={shown}
        onLoad={measure}
        style={{ display: 'block', width: '100%', height, border: 0 }}
      />
    </div>
  );
}
