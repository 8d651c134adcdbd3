import { refusePrefix, WIDEST_NETWORK } from '../../core/evidence/intake-refusals.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { contains, parsePrefix } from '../../core/ip/prefix.ts';
import type { NetworkListFile } from '../../core/place/network-list.ts';
import type { AssistantDirectory } from '../../service/ports.ts';
import { shippedTable } from '../layers/tables.ts';
import { ASSISTANT_FAMILIES } from './assistant-families.ts';
import { type AssistantLists, readAssistantList, unpackAssistantLists } from './assistant-lists.ts';

export type PrefixesOf = (feed: string) => readonly Prefix[];

const TOKEN_EDGE = '[^A-Za-z0-9_-]';

/**
 * Verifies an assistant whose user agent names a family and whose address lies in that vendor's published
 * prefixes; one alone is not enough. One pattern over the user agent settles ordinary callers; prefixes are
 * only read after a claim.
 */
export class AssistantPrefixes implements AssistantDirectory {
  readonly #claims: readonly {
    readonly family: string;
    readonly token: RegExp;
    prefixes(): readonly Prefix[];
  }[];
  readonly #anyClaim: RegExp;

  constructor(prefixesOf: PrefixesOf, shippedOf: PrefixesOf = () => []) {
    const prefixesFor = (feed: string): readonly Prefix[] => {
      const read = prefixesOf(feed);
      return read.length > 0 ? read : shippedOf(feed);
    };
    this.#claims = ASSISTANT_FAMILIES.map(({ family, tokens, feeds, stated = [] }) => ({
      family,
      token: tokenPattern(tokens),
      prefixes: once(() => [...feeds.flatMap(prefixesFor), ...stated.flatMap(shippedOf)]),
    }));
    this.#anyClaim = tokenPattern(ASSISTANT_FAMILIES.flatMap(({ tokens }) => tokens));
  }

  familyOf(userAgent: string, address: Address): string | undefined {
    if (!this.#anyClaim.test(userAgent)) return undefined;
    return this.#claims.find(
      ({ token, prefixes }) => token.test(userAgent) && prefixes().some((prefix) => contains(prefix, address)),
    )?.family;
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const tokenPattern = (tokens: readonly string[]): RegExp =>
  new RegExp(`(?:^|${TOKEN_EDGE})(?:${tokens.join('|')})(?=$|${TOKEN_EDGE})`, 'i');

/**
 * Private space and half the Internet in a list (a vendor's slip, or a publisher that was taken over) verify
 * nothing.
 */
const usablePrefixes = (texts: readonly string[]): readonly Prefix[] =>
  texts
    .map(parsePrefix)
    .filter((prefix) => prefix !== undefined && refusePrefix(prefix, WIDEST_NETWORK) === undefined) as Prefix[];

function shippedPrefixes(): PrefixesOf {
  const byId = once(() => {
    const { lists } = shippedTable<{ readonly lists: readonly NetworkListFile[] }>('network-prefixes');
    return new Map(lists.map(({ id, prefixes }) => [id, prefixes ?? []]));
  });
  return (id) => usablePrefixes(byId().get(id) ?? []);
}

export class AssistantListFiles implements AssistantDirectory {
  readonly #folder: string;
  readonly #shipped = shippedPrefixes();
  #published: AssistantLists | undefined;
  #current: AssistantPrefixes;

  constructor(folder: string) {
    this.#folder = folder;
    this.#current = new AssistantPrefixes((feed) => this.#read(feed), this.#shipped);
  }

  familyOf(userAgent: string, address: Address): string | undefined {
    return this.#current.familyOf(userAgent, address);
  }

  reload(): void {
    this.#current = new AssistantPrefixes((feed) => this.#read(feed), this.#shipped);
  }

  /**
   * Another node's lists take precedence over files of this node.
   * @throws for anything but such a container; the old lists stay
   */
  take(published: SharedArrayBuffer): void {
    this.#published = unpackAssistantLists(published);
    this.reload();
  }

  #read(feed: string): readonly Prefix[] {
    return usablePrefixes(this.#published?.get(feed) ?? readAssistantList(this.#folder, feed));
  }
}
