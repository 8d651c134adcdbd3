import { Button, Group, Modal, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { useSession } from '../api/session.tsx';
import { useLocale } from '../locale.tsx';
import { useConsole } from '../messages/use-console.ts';

/**
 * Offers a second factor to an operator who has just signed in without one. It can be put off until the next
 * sign-in.
 */
export function FactorOffer() {
  const c = useConsole();
  const { to } = useLocale();
  const { offersFactor, putFactorOff } = useSession();
  const [, navigate] = useLocation();
  const accept = (): void => {
    putFactorOff();
    navigate(`${to('/console/profile')}#factors`);
  };
  return (
    <Modal
      opened={offersFactor}
      onClose={putFactorOff}
      title={c.factors.offerTitle}
      centered
      closeButtonProps={{ 'aria-label': c.factors.offerLater }}
    >
      <Text mb="lg">{c.factors.offerText}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={putFactorOff}>
          {c.factors.offerLater}
        </Button>
        <Button onClick={accept} data-autofocus>
          {c.factors.offerNow}
        </Button>
      </Group>
    </Modal>
  );
}
