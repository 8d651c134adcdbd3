import { Modal, NativeSelect, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { sendFeedback } from '../api/send-feedback.ts';
import { useSubmit } from '../api/use-submit.ts';
import { Form } from '../components/form.tsx';
import { fill, useLocale } from '../locale.tsx';

interface Props {
  readonly ip: string;
  readonly score: number;
  readonly onClose: () => void;
}

/** A report that the verdict of an address is wrong, for the operator of the service. */
export function WrongVerdictDialog({ ip, score, onClose }: Props) {
  const { t } = useLocale();
  const { wrong } = t.verdict;
  const [verdict, setVerdict] = useState<'false_positive' | 'false_negative'>(
    score > 0 ? 'false_positive' : 'false_negative',
  );
  const [comment, setComment] = useState('');
  const [sent, setSent] = useState<string>();
  const form = useSubmit(async () => {
    setSent(await sendFeedback({ ip, verdict, ...(comment.trim() !== '' && { comment: comment.trim() }) }));
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={fill(wrong.title, { ip })}
      centered
      closeButtonProps={{ 'aria-label': wrong.close }}
    >
      {sent === undefined ? (
        <Form of={form} action={wrong.submit} onCancel={onClose}>
          <NativeSelect
            label={wrong.how}
            data={(['false_positive', 'false_negative'] as const).map((value) => ({ value, label: wrong[value] }))}
            value={verdict}
            onChange={(event) => setVerdict(event.currentTarget.value as typeof verdict)}
          />
          <Textarea
            label={wrong.comment}
            description={wrong.commentHint}
            maxLength={1000}
            autosize
            minRows={3}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
        </Form>
      ) : (
        <Text role="status">{fill(wrong.sent, { id: sent })}</Text>
      )}
    </Modal>
  );
}
