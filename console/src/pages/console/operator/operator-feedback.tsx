import { Anchor, Badge, Button, Group, Modal, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ConsoleFeedback, ConsoleFeedbackPage } from '../../../../../src/contract/console.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { Card } from '../../../components/card.tsx';
import { Form } from '../../../components/form.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SendButton } from '../../../components/send-button.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { endOfDay, formatInstant } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { ScoreBar } from '../../address/score-bar.tsx';

/** The operators' inbox: reports that verdicts are wrong, with the evidence as it stood, and decisions about them. */
export function OperatorFeedback() {
  const { feedback: f } = useConsole().operator;
  const { t } = useLocale();
  const { data, problem, reload } = useLoad<ConsoleFeedbackPage>('/operator/feedback');
  const open = data?.reports.filter(({ outcome }) => outcome === 'open') ?? [];
  const decided = data?.reports.filter(({ outcome }) => outcome !== 'open') ?? [];
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {f.lead}
      </Text>
      <ProblemAlert problem={problem} />
      {data !== undefined && open.length === 0 && <Text c="dimmed">{f.empty}</Text>}
      {open.map((report) => (
        <Report key={report.id} report={report} onDecided={reload} />
      ))}
      {data !== undefined && data.sources.length > 0 && (
        <Card title={f.sources}>
          <TableCard framed={false} label={f.sources} columns={[f.columns.source, f.columns.confirmed]}>
            {data.sources.map(({ source, decided: all, confirmed }) => (
              <Table.Tr key={source}>
                <Cell of={f.columns.source}>{source}</Cell>
                <Cell of={f.columns.confirmed}>{fill(f.share, { confirmed, decided: all })}</Cell>
              </Table.Tr>
            ))}
          </TableCard>
        </Card>
      )}
      {decided.length > 0 && (
        <Card title={f.decided}>
          {decided.map(({ id, ip, verdict, outcome }) => (
            <Text key={id} size="sm">
              {fill(t.site.labelled, { label: ip, value: `${t.verdict.wrong[verdict]} · ${f.outcome[outcome]}` })}
            </Text>
          ))}
        </Card>
      )}
    </Stack>
  );
}

const pathOf = ({ id }: ConsoleFeedback): string => `/operator/feedback/${encodeURIComponent(id)}`;

function Report({ report, onDecided }: { readonly report: ConsoleFeedback; readonly onDecided: () => void }) {
  const { feedback: f } = useConsole().operator;
  const { t, tag, to } = useLocale();
  const [confirming, setConfirming] = useState(false);
  return (
    <Card title={report.ip} testId="feedback-report">
      <Group gap="sm" mb="sm">
        <Badge radius="sm" tt="none">
          {t.verdict.wrong[report.verdict]}
        </Badge>
        <Text size="sm" c="dimmed">
          {formatInstant(tag, new Date(report.at))} · {report.account ?? f.visitor}
        </Text>
        <Anchor component={Link} size="sm" underline="always" href={to(`/ip/${encodeURIComponent(report.ip)}`)}>
          {f.now}
        </Anchor>
      </Group>
      {report.comment !== undefined && <Text mb="sm">{report.comment}</Text>}
      <ScoreBar explanation={report.explanation} at={Date.parse(report.explanation.computed_at)} />
      <Group gap="sm" mt="md">
        <Button size="xs" onClick={() => setConfirming(true)}>
          {f.confirm}
        </Button>
        <SendButton size="xs" variant="default" path={pathOf(report)} body={{ outcome: 'rejected' }} onSent={onDecided}>
          {f.reject}
        </SendButton>
        <SendButton
          size="xs"
          path="/operator/feedback"
          body={{ outcome: 'rejected', account: report.account ?? null }}
          onSent={onDecided}
        >
          {fill(f.rejectAll, { sender: report.account ?? f.visitor })}
        </SendButton>
      </Group>
      <Modal
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={f.confirm}
        centered
        closeButtonProps={{ 'aria-label': t.verdict.wrong.close }}
      >
        <ConfirmForm report={report} onCancel={() => setConfirming(false)} onConfirmed={onDecided} />
      </Modal>
    </Card>
  );
}

function ConfirmForm({
  report,
  onConfirmed,
  onCancel,
}: {
  readonly report: ConsoleFeedback;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}) {
  const c = useConsole().operator;
  const [act, setAct] = useState<'override' | 'none'>('override');
  const [reason, setReason] = useState(report.id);
  const [until, setUntil] = useState(() => new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10));
  const form = useSubmit(async () => {
    const override = act === 'override' ? { reason: reason.trim(), until: endOfDay(until) } : undefined;
    await call('POST', pathOf(report), { outcome: 'confirmed', override });
    onConfirmed();
  });
  return (
    <Form of={form} action={c.feedback.confirm} onCancel={onCancel}>
      <NativeSelect
        label={c.feedback.act}
        data={[
          { value: 'override', label: c.feedback[report.verdict === 'false_positive' ? 'allow' : 'deny'] },
          { value: 'none', label: c.feedback.note },
        ]}
        value={act}
        onChange={(event) => setAct(event.currentTarget.value as typeof act)}
      />
      {act === 'override' && (
        <>
          <TextInput
            required
            label={c.overrides.columns.reason}
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <TextInput
            required
            type="date"
            label={c.overrides.columns.until}
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        </>
      )}
    </Form>
  );
}
