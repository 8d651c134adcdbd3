import { Alert, Badge, Button, Group, List, Modal, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleFactors } from '../../../../../src/contract/console.ts';
import { ApiProblem, call } from '../../../api/call.ts';
import { createPasskey } from '../../../api/passkey.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Form } from '../../../components/form.tsx';
import { later } from '../../../components/later.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatInstant } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import classes from '../console.module.css';

const QrCode = later(
  async () => (await import('../../../components/qr-code.tsx')).QrCode,
  <Skeleton height={220} width={220} />,
);

type Factor = ConsoleFactors['passkeys'][number];
interface Added {
  readonly recovery_codes?: readonly string[];
}
interface TotpStart {
  readonly step: string;
  readonly secret: string;
  readonly uri: string;
}

/**
 * Second factors of the account: list, adding and removing it, recovery codes. Codes live in this page's
 * memory until the reader says they are kept.
 */
export function SecondFactors() {
  const c = useConsole();
  const { data, problem, reload } = useLoad<ConsoleFactors>('/session/factors');
  const [codes, setCodes] = useState<readonly string[]>();
  const [totp, setTotp] = useState<TotpStart>();
  const [naming, setNaming] = useState<Factor | 'new'>();
  const [removing, setRemoving] = useState<Factor>();
  const added = (answer: Added): void => {
    if (answer.recovery_codes !== undefined) setCodes(answer.recovery_codes);
    setTotp(undefined);
    setNaming(undefined);
    reload();
  };
  const start = useSubmit(async () => setTotp(await call<TotpStart>('POST', '/session/factors/totp', {})));
  const renew = useSubmit(async () => added(await call<Added>('POST', '/session/factors/recovery-codes', {})));
  const remove = useSubmit(async () => {
    const id = removing?.id ?? '';
    setRemoving(undefined);
    await call('DELETE', `/session/factors/id/${encodeURIComponent(id)}`);
    reload();
  });
  const some = data !== undefined && (data.totp !== undefined || data.passkeys.length > 0);
  return (
    <section className="card" aria-labelledby="factors">
      <Title order={2} size="h4" mb="sm" id="factors">
        {c.factors.title}
      </Title>
      <Stack>
        <Text c="dimmed">{c.factors.lead}</Text>
        <ProblemAlert problem={problem ?? start.problem ?? renew.problem ?? remove.problem} />
        {data?.required === true && <Alert>{c.factors.required}</Alert>}
        {codes !== undefined && <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />}
        {data?.totp !== undefined && <FactorLine factor={data.totp} name={c.factors.totp} onRemove={setRemoving} />}
        {data?.passkeys.map((one) => (
          <FactorLine
            key={one.id}
            factor={one}
            name={one.name}
            kind={c.factors.passkey}
            onRename={setNaming}
            onRemove={setRemoving}
          />
        ))}
        {totp !== undefined && <TotpSetUp start={totp} onAdded={added} onCancel={() => setTotp(undefined)} />}
        {data !== undefined && (
          <Group>
            <Button variant="default" loading={start.busy} onClick={() => start.onSubmit()}>
              {data.totp === undefined ? c.factors.addTotp : c.factors.replaceTotp}
            </Button>
            {data.passkeys_work && (
              <Button variant="default" onClick={() => setNaming('new')}>
                {c.factors.addPasskey}
              </Button>
            )}
            {some && (
              <Button variant="subtle" loading={renew.busy} onClick={() => renew.onSubmit()}>
                {c.factors.renew}
              </Button>
            )}
          </Group>
        )}
        {data?.passkeys_work === false && <Text size="sm">{c.factors.noPasskeys}</Text>}
        {some && <Text size="sm">{fill(c.factors.left, { n: data.recovery_codes_left })}</Text>}
      </Stack>
      <Modal
        opened={naming !== undefined}
        onClose={() => setNaming(undefined)}
        title={naming === 'new' ? c.factors.addPasskey : c.factors.rename}
        centered
        closeButtonProps={{ 'aria-label': c.common.cancel }}
      >
        {naming !== undefined && <PasskeyName of={naming} onDone={added} />}
      </Modal>
      <ConfirmDialog
        opened={removing !== undefined}
        title={fill(c.factors.removeTitle, { name: removing?.name || c.factors.totp })}
        text={c.factors.removeText}
        action={c.factors.remove}
        busy={remove.busy}
        onConfirm={remove.onSubmit}
        onClose={() => setRemoving(undefined)}
      />
    </section>
  );
}

interface LineProps {
  readonly factor: Factor;
  readonly name: string;
  readonly kind?: string;
  readonly onRename?: (factor: Factor) => void;
  readonly onRemove: (factor: Factor) => void;
}

function FactorLine({ factor, name, kind, onRename, onRemove }: LineProps) {
  const c = useConsole();
  const { tag } = useLocale();
  const used =
    factor.last_used_at === undefined
      ? c.factors.unused
      : fill(c.factors.used, { when: formatInstant(tag, new Date(factor.last_used_at)) });
  return (
    <Group justify="space-between" data-factor={factor.id}>
      <div>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {kind !== undefined && (
            <Badge variant="light" tt="none">
              {kind}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {fill(c.factors.since, { when: formatInstant(tag, new Date(factor.created_at)) })} · {used}
        </Text>
      </div>
      <Group gap="xs">
        {onRename !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onRename(factor)}
            aria-label={`${c.factors.rename}: ${name}`}
          >
            {c.factors.rename}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          onClick={() => onRemove(factor)}
          aria-label={`${c.factors.remove}: ${name}`}
        >
          {c.factors.remove}
        </Button>
      </Group>
    </Group>
  );
}

function TotpSetUp({
  start,
  onAdded,
  onCancel,
}: {
  readonly start: TotpStart;
  readonly onAdded: (answer: Added) => void;
  readonly onCancel: () => void;
}) {
  const c = useConsole();
  const [code, setCode] = useState('');
  const form = useSubmit(async () => {
    onAdded(await call<Added>('POST', '/session/factors/totp/confirm', { step: start.step, code }));
  });
  return (
    <Form
      of={form}
      action={c.factors.enable}
      words={{ invalid_credentials: c.factors.wrong, link_invalid: c.factors.over }}
      onCancel={onCancel}
      maw={420}
    >
      <Text>{c.factors.scan}</Text>
      <QrCode text={start.uri} label={c.factors.qr} />
      <Text size="sm">{c.factors.orType}</Text>
      <code className={classes.secret} data-testid="totp-secret">
        {start.secret}
      </code>
      <details>
        <summary>{c.factors.asLink}</summary>
        <code style={{ overflowWrap: 'anywhere' }}>{start.uri}</code>
      </details>
      <TextInput
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        label={c.factors.firstCode}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </Form>
  );
}

/** Names a new passkey and has the browser make it, or renames one. */
function PasskeyName({ of, onDone }: { readonly of: Factor | 'new'; readonly onDone: (answer: Added) => void }) {
  const c = useConsole();
  const [name, setName] = useState(of === 'new' ? '' : of.name);
  const form = useSubmit(async () => {
    if (of !== 'new') {
      await call('PATCH', `/session/factors/id/${encodeURIComponent(of.id)}`, { name });
      onDone({});
      return;
    }
    const { step, options } = await call<{ readonly step: string; readonly options: object }>(
      'POST',
      '/session/factors/passkeys/options',
      {},
    );
    const response = await createPasskey(options);
    if (response === undefined) throw new ApiProblem('passkey_declined', c.factors.declined);
    onDone(await call<Added>('POST', '/session/factors/passkeys', { step, name, response }));
  });
  const words = {
    passkey_declined: c.factors.declined,
    invalid_credentials: c.factors.refused,
    link_invalid: c.factors.over,
  };
  return (
    <Form of={form} action={of === 'new' ? c.factors.create : c.factors.save} words={words}>
      {of === 'new' && <Text>{c.factors.passkeyLead}</Text>}
      <TextInput
        required
        maxLength={60}
        label={c.factors.name}
        placeholder={c.factors.namePlaceholder}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </Form>
  );
}

function RecoveryCodes({ codes, onKept }: { readonly codes: readonly string[]; readonly onKept: () => void }) {
  const c = useConsole();
  return (
    <Alert title={c.factors.codesTitle} data-testid="recovery-codes">
      <Stack gap="sm">
        <Text>{c.factors.codesText}</Text>
        <List listStyleType="none">
          {codes.map((code) => (
            <List.Item key={code}>
              <code>{code}</code>
            </List.Item>
          ))}
        </List>
        <Group>
          <CopyButton text={codes.join('\n')} />
          <Button size="xs" variant="light" onClick={onKept}>
            {c.factors.kept}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
