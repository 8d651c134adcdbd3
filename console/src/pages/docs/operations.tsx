import { Alert, Badge, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import examples from '../../../../docs/examples.md?examples';
import tables from '../../../../docs/zh-CN/api.md?tables';
import { ERRORS, type ErrorCode } from '../../../../src/contract/errors.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useErrorMeaning } from '../../messages/use-error-meaning.ts';
import docs from './docs.module.css';
import { Example } from './example.tsx';
import { fieldsOf, type OpenApi, type Operation } from './openapi.ts';
import { scrollToSection } from './scroll-to-section.ts';

/** Heading in docs/examples.md of the operation's example; the others have a command. */
const EXAMPLES: Readonly<Record<string, string>> = {
  lookupIp: 'one-address',
  lookupIpProfessional: 'with-evidence',
  lookupIps: 'a-batch',
  lookupPhone: 'a-phone-number',
  lookupSandbox: 'the-sandbox',
  lookupSandboxProfessional: 'with-evidence',
  sendEvidence: 'sending-evidence',
};

const [OPERATIONS_ZH = {}, PARAMETERS_ZH = {}, FIELDS_ZH = {}, PATHS_ZH = {}] = tables;

/**
 * The reference, drawn from the description that the service itself publishes. English is its own; Chinese is
 * in the tables of docs/zh-CN/api.md.
 */
export function Operations() {
  const { t } = useLocale();
  const [document, setDocument] = useState<OpenApi | 'failed'>();
  useEffect(() => {
    fetch('/openapi.json')
      .then((response) => response.json())
      .then(setDocument, () => setDocument('failed'));
  }, []);
  useEffect(() => {
    if (typeof document === 'object') scrollToSection();
  }, [document]);
  if (document === undefined) return <Skeleton height={480} />;
  if (document === 'failed') return <Alert color="red">{t.problem.offline.text}</Alert>;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => (
      <Endpoint key={operation.operationId} document={document} path={path} method={method} operation={operation} />
    )),
  );
}

interface EndpointProps {
  readonly document: OpenApi;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function Endpoint({ document, path, method, operation }: EndpointProps) {
  const d = useDocs().api;
  const { locale } = useLocale();
  const meaning = useErrorMeaning();
  const { operationId, summary, description, responses } = operation;
  const example = examples[EXAMPLES[operationId] ?? ''];
  const chinese = (table: (typeof tables)[number], name: string): string | undefined =>
    locale === 'zh' ? table[name]?.[0] : undefined;
  const phone = operationId.startsWith('lookupPhone') ? 'phone ' : '';
  const parameters = parametersOf(operation).map(({ name, place, required, description: english }): Row => {
    const called = name === 'ip' && path.startsWith('/sandbox') ? 'sandboxIp' : name;
    return [
      name,
      (d.places as Words)[place] ?? place,
      chinese(PARAMETERS_ZH, called) ?? english,
      required ? d.required : '',
    ];
  });
  const answer = (responses['200'] ?? responses['202'])?.content?.['application/json']?.schema;
  const fields = (answer === undefined ? [] : fieldsOf(document, answer)).map(
    ({ path: at, name, type, required, description: english = '' }): Row => [
      at,
      type,
      chinese(PATHS_ZH, `${phone}${at}`) ?? chinese(PATHS_ZH, at) ?? chinese(FIELDS_ZH, name) ?? english,
      required ? '' : d.optional,
    ],
  );
  const errors = Object.entries(responses).flatMap(([status, response]) =>
    status < '300' ? [] : codesOf(response.description).map((code): Row => [code, status, meaning(code)]),
  );
  const { parameter, place, field, type, code, status, meaning: says } = d.columns;
  return (
    <section className={docs.endpoint} id={operationId} aria-labelledby={`${operationId}-title`}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h3" id={`${operationId}-title`}>
            {chinese(OPERATIONS_ZH, operationId) ?? summary}
          </Title>
          <Group gap="xs" mt={8}>
            <Badge radius="sm" variant="light" size="lg">
              {method.toUpperCase()}
            </Badge>
            <code className={docs.path}>{path}</code>
            <Badge variant="default" radius="sm" tt="none">
              {operation.security?.some((way) => Object.keys(way).length === 0) ? d.keyOptional : d.keyRequired}
            </Badge>
          </Group>
          <Text mt="sm">{(locale === 'zh' ? OPERATIONS_ZH[operationId]?.[1] : undefined) ?? description}</Text>
        </div>
        {parameters.length > 0 && <Rows label={d.parameters} columns={[parameter, place, says]} rows={parameters} />}
        {example === undefined ? <CodeBlock label="curl" code={curlOf(path, method)} /> : <Example of={example} />}
        {fields.length > 0 && (
          <details className={docs.details}>
            <summary>{fill(d.fields, { n: fields.length })}</summary>
            <Rows label={d.answer} columns={[field, type, says]} rows={fields} />
          </details>
        )}
        <details className={docs.details}>
          <summary>{fill(d.errors, { n: errors.length })}</summary>
          <Rows label={code} columns={[code, status, says]} rows={errors} />
        </details>
      </Stack>
    </section>
  );
}

type Words = Readonly<Record<string, string>>;
type Row = readonly [name: string, value: string, meaning: string, note?: string];

interface RowsProps {
  readonly label: string;
  readonly columns: readonly [name: string, value: string, meaning: string];
  readonly rows: readonly Row[];
}

function Rows({ label, columns, rows }: RowsProps) {
  return (
    <TableCard framed={false} label={label} columns={columns}>
      {rows.map(([name, value, meaning, note]) => (
        <Table.Tr key={name}>
          <Cell of={columns[0]}>
            <code>{name}</code>
          </Cell>
          <Cell of={columns[1]}>
            <span className={docs.type}>{value}</span>
          </Cell>
          <Cell of="">
            {meaning} {note && <span className={docs.soft}>{note}</span>}
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly description: string;
}

/** Parameters of the path, the query and the head, and the keys of the body. */
function parametersOf({ parameters = [], requestBody }: Operation): readonly Parameter[] {
  const { properties = {}, required: needed = [] } = requestBody?.content['application/json']?.schema ?? {};
  return [
    ...parameters.map(({ name, in: place, required = false, description = '' }) => ({
      name,
      place,
      required,
      description,
    })),
    ...Object.entries(properties).map(([name, { description = '' }]) => ({
      name,
      place: 'body',
      required: needed.includes(name),
      description,
    })),
  ];
}

/** Codes of an answer's description. */
const codesOf = (description: string): readonly ErrorCode[] =>
  [...description.matchAll(/\w+/g)].map(([code]) => code as ErrorCode).filter((code) => code in ERRORS);

/** A ready command with this deployment's own address, of an operation without an example. */
function curlOf(path: string, method: string): string {
  const isSandbox = path.startsWith('/sandbox');
  const url = `${location.origin}${path.replace('{ip}', isSandbox ? '192.0.2.5' : '8.8.8.8')}`;
  if (isSandbox) return `curl ${url}`;
  if (path === '/v1/beacon') return `curl -X POST -H "Authorization: Bearer $PULSE_BEACON" ${url}`;
  const key = '-H "X-API-Key: $PULSE_KEY"';
  if (method === 'get') return `curl ${key} ${url}`;
  const body = path.endsWith('/ip/batch')
    ? '{"ips":["8.8.8.8","1.1.1.1"]}'
    : '{"numbers":["+8613800138000","+6591234567"]}';
  return `curl ${key} -H "Content-Type: application/json" \\\n  -d '${body}' ${url}`;
}
