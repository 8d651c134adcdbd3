import type { StoreFault } from '../../service/store-fault.ts';

/** Says why a server cannot be reached, in words of its own about "it", the server. */
export interface NetworkFault {
  readonly cause: string;
  readonly kind: StoreFault;
}

export const NO_ANSWER: NetworkFault = { cause: 'it does not answer', kind: 'no_answer' };

/** Every kind of server fails alike before it is reached, under these codes of the system. */
const FAULTS: readonly (readonly [RegExp, NetworkFault])[] = [
  [/\bECONNREFUSED\b/, { cause: 'nothing listens at the address', kind: 'unreachable' }],
  [/\b(ENOTFOUND|EAI_\w+)\b/, { cause: 'the name of its host is not known', kind: 'unknown_host' }],
  [/\b(ETIMEDOUT|EHOST\w+|ENET\w+)\b/, NO_ANSWER],
];

/** @param text a code of the system, or a message that holds one */
export const networkFault = (text: string): NetworkFault | undefined =>
  FAULTS.find(([pattern]) => pattern.test(text))?.[1];
