import { Button, Group, Modal, Text } from '@mantine/core';
import { useConsole } from '../messages/use-console.ts';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. Focus starts on the safe answer. */
export function ConfirmDialog({ opened, title, text, action, busy, onConfirm, onClose }: Props) {
  const c = useConsole();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': c.common.cancel }}
    >
      <Text mb="lg">{text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {c.common.cancel}
        </Button>
        <Button color="red" loading={busy} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
