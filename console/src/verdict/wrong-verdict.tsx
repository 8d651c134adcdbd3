import { Button } from '@mantine/core';
import { useState } from 'react';
import { later } from '../components/later.tsx';
import { useLocale } from '../locale.tsx';

const Dialog = later(async () => (await import('./wrong-verdict-dialog.tsx')).WrongVerdictDialog, null);

/** "This is wrong": opens the report about the verdict of an address. */
export function WrongVerdict({ ip, score }: { readonly ip: string; readonly score: number }) {
  const { wrong } = useLocale().t.verdict;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {wrong.open}
      </Button>
      {open && <Dialog ip={ip} score={score} onClose={() => setOpen(false)} />}
    </>
  );
}
