import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { type DragEvent, type ReactNode, useEffect, useState } from 'react';
import { formatNumber } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import type { ConsoleMessages } from '../messages/console.en.ts';
import { type KeptBatch, keptBatches } from './kept-batches.ts';
import type { BulkState } from './use-bulk.ts';

/** Words of a page that looks many entries up. */
export type BulkWords = ConsoleMessages['bulk'];

interface SourceProps {
  readonly state: Pick<BulkState, 'phase' | 'lines' | 'unreadable'>;
  readonly read: (source: Blob, name: string, isPasted: boolean) => void;
  /** Answers are kept under this name in the browser. */
  readonly owner: string;
  readonly words: BulkWords;
  /** The text that the field begins with. */
  readonly pasted?: string | undefined;
  /** Choices that hold for the file. */
  readonly children?: ReactNode;
}

/** Lets a visitor choose, drop or paste a file. */
export function BulkSource({ state, read, owner, words, pasted = '', children }: SourceProps) {
  const { tag } = useLocale();
  const [text, setText] = useState(pasted);
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) read(file, file.name, false);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  return (
    <section className="card" onDragOver={(event) => event.preventDefault()} onDrop={drop} aria-label={words.file}>
      <Stack gap="md">
        <Unfinished owner={owner} words={words} />
        {children}
        <div>
          <Group gap="sm">
            <FileButton onChange={take}>{(props) => <Button {...props}>{words.choose}</Button>}</FileButton>
            <Text c="dimmed">{words.drop}</Text>
          </Group>
          <Text size="sm" c="dimmed" mt="xs">
            {words.fileHint}
          </Text>
        </div>
        <Textarea
          label={words.paste}
          autosize
          minRows={5}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          disabled={text.trim() === ''}
          onClick={() => read(new Blob([text]), words.pasted, true)}
          loading={state.phase === 'reading'}
        >
          {words.usePasted}
        </Button>
        <Text size="sm" role="status">
          {state.phase === 'reading' && fill(words.reading, { n: formatNumber(tag, state.lines) })}
        </Text>
        {state.unreadable !== undefined && (
          <Alert color="red" variant="light" role="alert" data-reason={state.unreadable}>
            {words.unreadable[state.unreadable]}
          </Alert>
        )}
      </Stack>
    </section>
  );
}

interface KeptRun {
  readonly name: string;
  readonly done: number;
  readonly of: number;
}

/** Runs that were left before their end: the same file goes on where each stopped. */
function Unfinished({ owner, words }: Pick<SourceProps, 'owner' | 'words'>) {
  const { tag } = useLocale();
  const [runs, setRuns] = useState<readonly KeptRun[]>([]);
  useEffect(() => {
    // A browser that keeps nothing has nothing to offer; the run itself says so.
    keptBatches(owner, Date.now()).then(
      (batches) =>
        setRuns([...Map.groupBy(batches, ({ run }) => run).values()].map(keptRun).filter(({ done, of }) => done < of)),
      () => setRuns([]),
    );
  }, [owner]);
  return runs.map(({ name, done, of }) => (
    <Text key={name} size="sm" role="status" data-testid="bulk-unfinished">
      {fill(words.unfinished, { file: name, done: formatNumber(tag, done), of: formatNumber(tag, of) })}
    </Text>
  ));
}

const keptRun = (batches: readonly KeptBatch[]): KeptRun => ({
  name: batches[0]!.name,
  done: batches.reduce((sum, { answers }) => sum + answers.length, 0),
  of: batches[0]!.of,
});
