import { isRecord } from '../kit/json.ts';
import { type UnixMs, unixMs } from '../units.ts';

/** Claims of an ID token or of the UserInfo endpoint (OpenID Connect Core 1.0, sections 2 and 5.1). */
export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  /** Counts an address without `email_verified` as verified. */
  readonly trustEmail: boolean;
  readonly roleClaim: string | undefined;
  readonly operatorRole: string | undefined;
  readonly userRole: string | undefined;
}

export interface CompanyPerson {
  /** Undefined where the provider names no address, or one that it does not call verified. */
  readonly email: string | undefined;
  readonly isAllowed: boolean;
  readonly operator: boolean | undefined;
  readonly usedSeveralFactors: boolean;
  readonly authenticatedAt: UnixMs | undefined;
}

/** @param documents the ID token first; each claim is read from the first document that has it */
export function readClaims(documents: readonly Claims[], rules: ClaimRules): CompanyPerson {
  const [idToken = {}] = documents;
  const roles = valuesOf(documents.map((claims) => claimAt(claims, rules.roleClaim)).find((one) => one !== undefined));
  const operator = rules.operatorRole === undefined ? undefined : roles.includes(rules.operatorRole);
  const { amr, auth_time } = idToken;
  return {
    email: verifiedEmail(documents, rules.trustEmail),
    isAllowed: rules.userRole === undefined || operator === true || roles.includes(rules.userRole),
    operator,
    usedSeveralFactors: Array.isArray(amr) && amr.includes('mfa'),
    authenticatedAt: typeof auth_time === 'number' ? unixMs(auth_time * 1000) : undefined,
  };
}

export const lacksClaims = (claims: Claims, { roleClaim }: ClaimRules): boolean =>
  typeof claims['email'] !== 'string' || (roleClaim !== undefined && claimAt(claims, roleClaim) === undefined);

/** An address counts only with the mark that stands beside it: another document may name another address. */
function verifiedEmail(documents: readonly Claims[], trusted: boolean): string | undefined {
  const claims = documents.find(({ email }) => typeof email === 'string');
  const verified = claims?.['email_verified'] ?? trusted;
  return verified === true ? String(claims?.['email'] ?? '') || undefined : undefined;
}

/** A claim's own name may hold dots (`https://company.example/roles`), so it is tried before the path. */
function claimAt(claims: Claims, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (inner, part) => (isRecord(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined),
      claims,
    );
}

const valuesOf = (claim: unknown): readonly unknown[] =>
  Array.isArray(claim) ? claim : typeof claim === 'string' ? [claim] : [];
