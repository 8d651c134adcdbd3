import { Stack, Tabs } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { DocsElement } from '../../../docs-pages.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { ownAddress } from './own-address.ts';

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', py: 'Python', go: 'Go' };

/** One call in several languages, and its answer. The browser keeps the reader's language for all examples. */
export function Example({ of }: { readonly of: DocsElement }) {
  const { answer } = useDocs().example;
  const [chosen, choose] = useLocalStorage<string | null>({ key: 'pulse-example', getInitialValueInEffect: false });
  const blocks = of.content.map((block) => {
    const { value = '', content } = block as DocsElement;
    return { language: value, code: ownAddress(content.join('')) };
  });
  const programs = blocks.filter(({ language }) => language in LANGUAGES);
  const shown = programs.find(({ language }) => language === chosen) ?? programs[0]!;
  return (
    <Stack gap="xs">
      <Tabs value={shown.language} onChange={choose}>
        <Tabs.List mb="xs">
          {programs.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {LANGUAGES[language]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock label={LANGUAGES[language]!} code={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
      {blocks
        .filter(({ language }) => language === 'json')
        .map(({ code }) => (
          <CodeBlock key={code} label={answer} code={code} />
        ))}
    </Stack>
  );
}
