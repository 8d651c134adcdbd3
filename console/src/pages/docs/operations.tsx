import { Alert, Badge, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import tables from '../../../../docs/zh-CN/api.md?tables';
import { ERRORS, type ErrorCode } from '../../../../src/contract/errors.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useErrorMeaning } from '../../messages/use-error-meaning.ts';
import docs from './docs.module.css';
import { type FieldRow, fieldsOf, type OpenApi, type Operation, type Schema } from './openapi.ts';

const [OPERATIONS_ZH = {}, PARAMETERS_ZH = {}, FIELDS_ZH = {}, PATHS_ZH = {}] = tables;

/** The reference, drawn from the description that the service itself publishes. English is its own; Chinese is in the tables of docs/zh-CN/api.md. */
export function Operations() {
  const { t } = useLocale();
  const [document, setDocument] = useState<OpenApi | 'failed'>();
  useEffect(() => {
    fetch('/openapi.json')
      .then((response) => response.json())
      .then(setDocument, () => setDocument('failed'));
  }, []);
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
  const [title, text] = (locale === 'zh' ? OPERATIONS_ZH[operation.operationId] : undefined) ?? [
    operation.summary,
    operation.description,
  ];
  const parameters = locale === 'zh' ? PARAMETERS_ZH : {};
  const answer = (operation.responses['200'] ?? operation.responses['202'])?.content?.['application/json']?.schema;
  const body = operation.requestBody?.content['application/json']?.schema;
  const open = operation.security?.some((way) => Object.keys(way).length === 0) ?? false;
  return (
    <section className={docs.endpoint} id={operation.operationId} aria-labelledby={`${operation.operationId}-title`}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h3" id={`${operation.operationId}-title`}>
            {title}
          </Title>
          <Group gap="xs" mt={8}>
            <Badge radius="sm" variant="light" size="lg">
              {method.toUpperCase()}
            </Badge>
            <code className={docs.path}>{path}</code>
            <Badge variant="default" radius="sm" tt="none">
              {open ? d.keyOptional : d.keyRequired}
            </Badge>
          </Group>
          <Text mt="sm">{text}</Text>
        </div>
        {operation.parameters !== undefined && (
          <Parameters
            rows={operation.parameters.map((row) => [
              row.name,
              row.in,
              row.required === true,
              parameters[nameOf(row.name, path)]?.[0] ?? row.description ?? '',
            ])}
          />
        )}
        {body !== undefined && <Parameters rows={bodyRows(body, parameters)} />}
        <CodeBlock label="curl" code={curlOf(path, method)} />
        {answer !== undefined && (
          <Fields document={document} schema={answer} phone={operation.operationId.startsWith('lookupPhone')} />
        )}
        <Failures operation={operation} />
      </Stack>
    </section>
  );
}

type Words = Readonly<Record<string, readonly string[]>>;

/** The address of the sandbox's paths is another than that of the look-ups. */
const nameOf = (parameter: string, path: string): string =>
  parameter === 'ip' && path.startsWith('/sandbox') ? 'sandboxIp' : parameter;

type ParameterRow = readonly [name: string, place: string, required: boolean, meaning: string];

const bodyRows = (schema: Schema, meanings: Words): readonly ParameterRow[] =>
  Object.entries(schema.properties ?? {}).map(([name, part]) => [
    name,
    'body',
    schema.required?.includes(name) ?? false,
    meanings[name]?.[0] ?? part.description ?? '',
  ]);

function Parameters({ rows }: { readonly rows: readonly ParameterRow[] }) {
  const d = useDocs().api;
  const { parameter, place: where, meaning: says } = d.columns;
  return (
    <TableCard framed={false} label={d.parametersTitle} columns={[parameter, where, says]}>
      {rows.map(([name, place, required, meaning]) => (
        <Table.Tr key={name}>
          <Cell of={parameter}>
            <code>{name}</code>
          </Cell>
          <Cell of={where}>{d.places[place as keyof typeof d.places] ?? place}</Cell>
          <Cell of="">
            {meaning} {required && <span className={docs.soft}>{d.required}</span>}
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

function Fields({
  document,
  schema,
  phone,
}: {
  readonly document: OpenApi;
  readonly schema: Schema;
  readonly phone: boolean;
}) {
  const d = useDocs().api;
  const { locale } = useLocale();
  const chinese = ({ path, name }: FieldRow): readonly string[] | undefined =>
    (phone ? PATHS_ZH[`phone ${path}`] : undefined) ?? PATHS_ZH[path] ?? FIELDS_ZH[name];
  const rows = fieldsOf(document, schema);
  const { field, type, meaning: says } = d.columns;
  return (
    <details className={docs.details}>
      <summary>{d.fields.replace('{n}', String(rows.length))}</summary>
      <TableCard framed={false} label={d.answer} columns={[field, type, says]}>
        {rows.map((row) => (
          <Table.Tr key={row.path}>
            <Cell of={field}>
              <code>{row.path}</code>
            </Cell>
            <Cell of={type}>
              <span className={docs.type}>{row.type}</span>
            </Cell>
            <Cell of="">
              {(locale === 'zh' ? chinese(row)?.[0] : undefined) ?? row.description}{' '}
              {!row.required && <span className={docs.soft}>{d.optional}</span>}
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </details>
  );
}

/** Codes of an answer's description (`code: sentence. code: sentence.`), separated with the error table. */
const codesOf = (description: string): readonly ErrorCode[] =>
  [...description.matchAll(/\b([a-z0-9_]+):/g)].map(([, code]) => code as ErrorCode).filter((code) => code in ERRORS);

function Failures({ operation }: { readonly operation: Operation }) {
  const d = useDocs().api;
  const meaning = useErrorMeaning();
  const rows = Object.entries(operation.responses).flatMap(([status, response]) =>
    status < '300' ? [] : codesOf(response.description).map((code) => ({ status, code })),
  );
  return (
    <details className={docs.details}>
      <summary>{d.errors.replace('{n}', String(rows.length))}</summary>
      <TableCard framed={false} label={d.errorsTitle} columns={[d.columns.code, d.columns.status, d.columns.meaning]}>
        {rows.map(({ status, code }) => (
          <Table.Tr key={code}>
            <Cell of={d.columns.code}>
              <code>{code}</code>
            </Cell>
            <Cell of={d.columns.status}>{status}</Cell>
            <Cell of="">{meaning(code)}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </details>
  );
}

/** A ready command with this deployment's own address. */
function curlOf(path: string, method: string): string {
  const url = `${location.origin}${path.replace('{ip}', '8.8.8.8')}`;
  if (path === '/v1/ip/{ip}') return `curl ${url}`;
  if (path.startsWith('/sandbox')) return `curl ${location.origin}${path.replace('{ip}', '192.0.2.5')}`;
  const key = `-H 'X-API-Key: $PULSE_KEY'`.replaceAll("'", '"');
  if (method === 'get') return `curl ${key} ${url}`;
  if (path === '/v1/evidence')
    return `curl ${key} -H "Content-Type: application/x-ndjson" \\\n  --data-binary '{"ip":"198.14.0.1","risk_type":"honeypot_scan"}' "${url}?source=my-sensor"`;
  if (path.endsWith('/ip/batch'))
    return `curl ${path.startsWith('/pulse') ? `${key} ` : ''}-H "Content-Type: application/json" \\\n  -d '{"ips":["8.8.8.8","1.1.1.1"]}' ${url}`;
  const body = path.endsWith('batch') ? '{"numbers":["+8613800138000","+6591234567"]}' : '{"number":"+8613800138000"}';
  return `curl ${key} -H "Content-Type: application/json" \\\n  -d '${body}' ${url}`;
}
