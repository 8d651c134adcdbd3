import { createHash } from 'node:crypto';
import { auditCopy } from '../../adapters/audit-copy/audit-copy.ts';
import { smtpMail } from '../../adapters/mail/smtp-mail.ts';
import { noteRefusals } from '../../apps/console/note-refusals.ts';
import type { Log } from '../../apps/http/services.ts';
import type { HttpPlugin } from '../../apps/http/step.ts';
import type { Config } from '../../config.ts';
import type { AccountStore, CountedEvent } from '../../service/accounts/account-store.ts';
import { EventTally, followAudit } from '../../service/accounts/audit.ts';
import { sendNotices } from '../../service/accounts/notice.ts';
import type { RepeatedWork } from '../../service/every.ts';
import type { Clock } from '../../service/ports.ts';

export interface OpenAuditOptions {
  readonly config: Pick<Config, 'smtpUrl' | 'auditLog'>;
  readonly baseUrl: string;
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly repeat: (name: string, work: () => Promise<void>, meanwhile: string) => RepeatedWork;
}

export interface OpenAudit {
  readonly onEvent: (event: CountedEvent) => void;
  readonly plugin: HttpPlugin;
  close(): Promise<void>;
}

export function openAudit({ config, baseUrl, accounts, clock, log, repeat }: OpenAuditOptions): OpenAudit {
  const tally = new EventTally(accounts);
  const onEvent = (event: CountedEvent): void => {
    tally.note(event);
    if (event.action === 'operator.refuse')
      log.warn({ account: event.subject, ...event.detail }, 'an operator was refused');
  };
  const counting = repeat('counting of audit events', () => tally.flush(), 'they wait in memory');
  const followers: RepeatedWork[] = [];
  const mail = config.smtpUrl === undefined ? undefined : smtpMail({ url: config.smtpUrl, baseUrl });
  if (mail !== undefined) {
    const onFault = (error: unknown): void => log.error({ error }, 'a notice to an account holder could not be sent');
    followers.push(
      repeat(
        'notices to account holders',
        () =>
          followAudit(accounts, {
            name: 'notices',
            begins: 'next',
            moves: 'before',
            take: (rows) => sendNotices({ accounts, mail, onFault }, rows, clock.now()),
          }),
        'they are sent later',
      ),
    );
  }
  if (config.auditLog !== undefined) {
    const name = `copy ${createHash('sha256').update(JSON.stringify(config.auditLog)).digest('base64url').slice(0, 22)}`;
    const take = auditCopy(config.auditLog);
    followers.push(
      repeat(
        'the copy of the audit log',
        () => followAudit(accounts, { name, begins: 'oldest', moves: 'after', take }),
        'the rows are copied when it succeeds',
      ),
    );
  }
  return {
    onEvent,
    plugin: noteRefusals(onEvent),
    async close() {
      await counting.stop();
      await tally.flush().catch((error) => log.error({ error }, 'the last audit events could not be written'));
      await Promise.all(followers.map((one) => one.stop()));
      mail?.close();
    },
  };
}
