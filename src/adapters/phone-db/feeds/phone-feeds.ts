import type { PhoneFeed } from '../../../service/phone/phone-feed.ts';

const MB = 1024 * 1024;
const MIT = { licence: 'MIT', redistribution: 'allowed', tag: 104 } as const;

export const PHONE_FEEDS: readonly PhoneFeed[] = [
  {
    ...MIT,
    id: 'phone-castle',
    title: 'Castle: the thousand disposable numbers most used in sign-ups, daily',
    url: 'https://raw.githubusercontent.com/castle/disposable-phone-numbers/HEAD/disposable-phone-numbers.txt',
    commits: 'https://github.com/castle/disposable-phone-numbers/commits/HEAD/disposable-phone-numbers.txt.atom',
    attribution: 'castle/disposable-phone-numbers',
    cadenceMin: 1440,
    maxAgeHours: 96,
    bounds: { minRows: 500, maxRows: 5000, maxBytes: MB },
    form: 'numbers',
    files: ['castle-disposable-phone-numbers.txt', 'disposable-phone-numbers.txt', 'phone-castle.txt'],
  },
  {
    ...MIT,
    id: 'phone-ip1sms',
    title: 'iP1SMS: numbers of public receive-SMS sites with the day each was last seen',
    url: 'https://raw.githubusercontent.com/iP1SMS/disposable-phone-numbers/HEAD/number-list.json',
    attribution: 'iP1SMS/disposable-phone-numbers',
    cadenceMin: 1440,
    maxAgeHours: 336,
    bounds: { minRows: 50_000, maxRows: 1_000_000, maxBytes: 32 * MB },
    form: 'dates',
    files: ['ip1sms-number-list.json', 'number-list.json', 'phone-ip1sms.json'],
  },
];
