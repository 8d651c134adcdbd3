import { isFresh } from '../../core/sign-in/is-fresh.ts';
import { type CompanyPerson, readClaims } from '../../core/sign-in/read-claims.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { CountedEvent, StoredCredentials } from '../accounts/account-store.ts';
import type { FactorAsked } from './second-factors.ts';
import type { AuthenticationMethod, Session } from './session.ts';
import {
  normaliseEmail,
  refusedEvent,
  type SignIn,
  type SignInAccounts,
  type SignInResult,
  type Visitor,
} from './sign-in.ts';
import {
  type CompanyProvider,
  type Identity,
  type IdentityStore,
  type SignOnChecks,
  type SignOnRefusal,
  SignOnRefused,
} from './sign-in-ports.ts';

export interface CompanySignOnOptions {
  readonly provider: CompanyProvider;
  readonly identities: IdentityStore;
  readonly accounts: SignInAccounts;
  readonly signIn: Pick<SignIn, 'enterProved' | 'confirmProved'>;
  readonly onEvent: (event: CountedEvent) => void;
}

export interface SignOnAnswer {
  readonly callback: URL;
  readonly checks: SignOnChecks;
  readonly fresh: boolean;
}

/** Sign-in of people whom the company's provider vouches for. Every refusal is a SignOnRefused. */
export class CompanySignOn {
  readonly #with: CompanySignOnOptions;

  constructor(options: CompanySignOnOptions) {
    this.#with = options;
  }

  start: CompanyProvider['start'] = (redirectUri, fresh) => this.#with.provider.start(redirectUri, fresh);

  /** Opens a session. Roles are read again each time, so that a role taken away at the provider is gone here. */
  async signIn(answer: SignOnAnswer, visitor: Visitor): Promise<SignInResult> {
    const { person, identity } = await this.#person(answer, visitor.at);
    const found = await this.#accountFor(person, identity, visitor.at);
    if (found.disabled) throw this.#refusal('disabled', visitor.at, found);
    await this.#setOperator(found, person, visitor.at);
    const proof = { amr: methodsOf(person), at: person.authenticatedAt ?? NEVER };
    return await this.#with.signIn.enterProved(found, proof, visitor);
  }

  /** Proves the holder of a session again (`isFresh`). @returns the request for a second factor, if there is one */
  async confirm(session: Session, answer: SignOnAnswer, { at }: Visitor): Promise<FactorAsked | undefined> {
    const { person, identity } = await this.#person({ ...answer, fresh: true }, at);
    const { id } = session.account;
    const found = await this.#with.accounts.byId(id);
    if (found === undefined || (await this.#with.identities.accountOf(identity)) !== id)
      throw this.#refusal('other', at, found);
    if (found.disabled) throw this.#refusal('disabled', at, found);
    await this.#setOperator(found, person, at);
    return await this.#with.signIn.confirmProved(session, methodsOf(person), at);
  }

  async #person(
    { callback, checks, fresh }: SignOnAnswer,
    at: UnixMs,
  ): Promise<{ readonly person: CompanyPerson; readonly identity: Identity }> {
    const { provider, identities, accounts } = this.#with;
    const { issuer, subject, documents } = await provider.finish(callback, checks);
    const person = readClaims(documents, provider.rules);
    const identity = { issuer, subject };
    if (fresh && (person.authenticatedAt === undefined || !isFresh(person.authenticatedAt, at)))
      throw new SignOnRefused('stale', 'the ID token has no recent auth_time');
    if (!person.isAllowed) {
      const accountId = await identities.accountOf(identity);
      const known = accountId === undefined ? undefined : await accounts.byId(accountId);
      if (known !== undefined) await this.#setOperator(known, person, at);
      throw this.#refusal('role', at, known);
    }
    return { person, identity };
  }

  /**
   * Finds the account of a person, or makes one. An account that existed before is linked only if the provider
   * and this service have both verified the address: else a stranger who signed up here, or there, with the
   * address of somebody else would share that person's account.
   */
  async #accountFor(person: CompanyPerson, identity: Identity, at: UnixMs): Promise<StoredCredentials> {
    const { accounts, identities } = this.#with;
    const linked = await identities.accountOf(identity);
    const known = linked === undefined ? undefined : await accounts.byId(linked);
    if (known !== undefined) return known;
    const email = normaliseEmail(person.email);
    if (email === undefined || !/^[ -~]+@/.test(email)) throw this.#refusal('email', at);
    const made = await accounts.createOfCompany(email, person.operator === true, at);
    const found = made === undefined ? await accounts.byEmail(email) : await accounts.byId(made);
    if (found === undefined || !found.verified) throw this.#refusal('taken', at, found);
    if (found.disabled) throw this.#refusal('disabled', at, found);
    await identities.link(identity, found.accountId, made !== undefined, { actor: `user:${found.accountId}`, at });
    return found;
  }

  async #setOperator({ accountId, operator }: StoredCredentials, person: CompanyPerson, at: UnixMs): Promise<void> {
    if (person.operator === undefined || person.operator === operator) return;
    await this.#with.accounts.setOperator(accountId, person.operator, at);
  }

  #refusal(reason: SignOnRefusal, at: UnixMs, found?: StoredCredentials): SignOnRefused {
    this.#with.onEvent(refusedEvent(found, reason === 'disabled' ? 'disabled' : `company ${reason}`, at));
    return new SignOnRefused(reason);
  }
}

/** A provider that does not say when the person signed in proves nothing recent. */
const NEVER = unixMs(0);

const methodsOf = ({ usedSeveralFactors }: CompanyPerson): readonly AuthenticationMethod[] =>
  usedSeveralFactors ? ['oidc', 'mfa'] : ['oidc'];
