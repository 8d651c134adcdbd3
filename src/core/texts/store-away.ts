import { CHINESE, type Text } from './chinese.ts';
import { type Said, said } from './said.ts';

const STORES = {
  PULSE_DATABASE_URL: [
    'PostgreSQL',
    'lookups and keys used lately are answered, everything else that needs it is refused',
  ],
  PULSE_REDIS_URL: ['Redis', 'lookups are counted by each node alone, phone lookups are refused'],
  PULSE_SNAPSHOT_URL: ['the place of images', 'nodes answer from the images that they have'],
  PULSE_SMTP_URL: ['the mail server', 'no mail is sent'],
  PULSE_OIDC_ISSUER: ['company sign-on', 'people sign in by password alone'],
  PULSE_AUDIT_LOG: ['the receiver of audit rows', 'rows wait for it'],
} as const satisfies Readonly<Record<string, readonly [Text, Text]>>;

export type StoreSetting = keyof typeof STORES;

const REMEDIES: Readonly<Record<string, Text>> = {
  'nothing listens at the address': 'Start it, or correct the address',
  'the name of its host is not known': 'Correct the name, or look at the DNS of this machine',
  'it does not answer': 'Look at its log, and at the network and firewalls in between',
  'it refuses user or password of the address': 'Correct user and password in the address',
  'there is no database of this name': 'Create it (deploy/postgres/make-role.sql), or correct the name',
  'the connection is closed': 'Look at its log; does something else listen there?',
};

const plain = (text: Text): Said => ({ text, values: {} });

/** Says which store cannot be used and why, what goes on meanwhile, and what to do. */
export const storeAway = (setting: StoreSetting, address: string, cause: string): Said =>
  said('{store} at {address} ({setting}) cannot be used: {cause}. {remedy}. Meanwhile {meanwhile}', {
    setting,
    address,
    cause: Object.hasOwn(CHINESE, cause) ? plain(cause as Text) : cause,
    store: plain(STORES[setting][0]),
    remedy: plain(REMEDIES[cause] ?? 'Mend the cause, or correct the setting'),
    meanwhile: plain(STORES[setting][1]),
  });
