import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimRules, lacksClaims, readClaims } from './read-claims.ts';

const RULES: ClaimRules = { trustEmail: false, roleClaim: undefined, operatorRole: undefined, userRole: undefined };
const emailOf = (documents: readonly object[], trustEmail = false): string | undefined =>
  readClaims(documents as never, { ...RULES, trustEmail }).email;

test('an address counts only with its own mark, and without one only where the operator trusts the provider', () => {
  const email = 'ada@company.example';
  assert.equal(emailOf([{ email, email_verified: true }]), email);
  for (const email_verified of [false, 'true', 1, null, undefined])
    assert.equal(emailOf([{ email, email_verified }]), undefined);
  assert.equal(emailOf([{ email }], true), email);
  assert.equal(emailOf([{ email, email_verified: false }], true), undefined);
  assert.equal(emailOf([{ email: 5, email_verified: true }]), undefined);
  assert.equal(emailOf([{ email: '', email_verified: true }]), undefined);
  assert.equal(emailOf([{}, { email, email_verified: true }]), email);
  assert.equal(emailOf([{ email: 'other@company.example' }, { email, email_verified: true }]), undefined);
  assert.equal(emailOf([], true), undefined);
});

test('roles are the values of the claim, by its own name or by a path, text or list', () => {
  const rules = { ...RULES, operatorRole: 'operator', userRole: 'user' };
  const roles = (claims: object, roleClaim: string) => {
    const { isAllowed, operator } = readClaims([claims as never], { ...rules, roleClaim });
    return [isAllowed, operator];
  };
  assert.deepEqual(roles({ groups: ['x', 'user'] }, 'groups'), [true, false]);
  assert.deepEqual(roles({ groups: 'operator' }, 'groups'), [true, true]);
  assert.deepEqual(roles({ groups: ['users', 'operators'] }, 'groups'), [false, false]);
  assert.deepEqual(roles({ realm_access: { roles: ['operator', 'user'] } }, 'realm_access.roles'), [true, true]);
  assert.deepEqual(roles({ 'https://company.example/roles': ['user'] }, 'https://company.example/roles'), [
    true,
    false,
  ]);
  for (const claims of [{}, { groups: null }, { groups: { user: true } }, { groups: [{ user: 1 }] }])
    assert.deepEqual(roles(claims, 'groups'), [false, false]);
  assert.deepEqual(roles({}, 'constructor.name'), [false, false]);
  assert.equal(readClaims([{}], RULES).operator, undefined, 'without a rule nobody’s mark changes');
  assert.equal(readClaims([{}], RULES).isAllowed, true);
});

test('UserInfo is needed for an address or a role that the ID token lacks', () => {
  assert.equal(lacksClaims({ email: 'a@b.example' }, RULES), false);
  assert.equal(lacksClaims({}, RULES), true);
  assert.equal(lacksClaims({ email: 'a@b.example' }, { ...RULES, roleClaim: 'groups' }), true);
  assert.equal(lacksClaims({ email: 'a@b.example', groups: [] }, { ...RULES, roleClaim: 'groups' }), false);
});
