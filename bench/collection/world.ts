/**
 * A simulated world with ground truth: who holds which address when, what sensors capture of it, and what lists of proxies say. Its numbers are assumptions
 * (docs/accuracy.md, "Derived kinds"), drawn from a seed.
 */
import type { CollectionFacts } from '../../src/core/collection/collection-facts.ts';
import type { Address, Prefix } from '../../src/core/ip/address.ts';
import { contains, parsePrefix, prefixOf } from '../../src/core/ip/prefix.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/units.ts';
import { Draw } from './draw.ts';

/** Who is behind a capture. */
export type Party =
  | 'household'
  | 'phone'
  | 'shared hosting'
  | 'rotating server'
  | 'infected home'
  | 'hijacked home'
  | 'open proxy on a server'
  | 'dialled line'
  | 'carrier NAT'
  | 'botnet of one provider'
  | 'scanner'
  | 'cloud phone';

export interface SimulatedCapture {
  readonly at: number;
  readonly address: Address;
  readonly riskType: 'honeypot_scan' | 'honeypot_credential';
  /** '' = the sensor recognised no actor */
  readonly actor: string;
  readonly party: Party;
}

/** A reading of a list of proxies. */
export interface SimulatedRun {
  readonly at: number;
  readonly list: string;
  readonly addresses: readonly Address[];
}

export interface World {
  readonly captures: readonly SimulatedCapture[];
  readonly runs: readonly SimulatedRun[];
  readonly facts: CollectionFacts;
  /** Prefixes that one party rotates through: a range inside one of them is right. */
  readonly rotated: readonly RotatedPrefix[];
  /** Addresses of hijacked homes, with the time they were held. */
  readonly hijacked: readonly Tenure[];
  /** Addresses of dialled lines, with the time they were held. */
  readonly dialled: readonly Tenure[];
}

export interface RotatedPrefix {
  readonly prefix: Prefix;
  /** Distinct addresses that sensors captured on its busiest day. */
  readonly busiest: number;
}

export interface Tenure {
  readonly address: Address;
  readonly from: number;
  readonly until: number;
  /** Number of the home or line. */
  readonly holder: number;
}

const START = Date.UTC(2026, 5, 1);
const DAYS = 3;
const END = START + DAYS * DAY_MS;

interface Network {
  readonly prefix: Prefix;
  readonly usageType: string | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly asn: number;
}

/** Networks of the world. The last two say what public data misses: servers that no list calls hosting, and homes that no list names. */
const NETWORKS: readonly Network[] = [
  ...Array.from({ length: 6 }, (_, i) => network(`20.${i}.0.0/16`, 'DYN', 64500 + i)),
  ...Array.from({ length: 16 }, (_, i) => network(`21.${i}.0.0/16`, 'DYN', 64510)),
  network('22.0.0.0/16', 'DYN', 64511),
  network('23.0.0.0/16', 'MOB', 64512),
  network('30.0.0.0/8', 'IDC', 64520),
  network('2a01:100::/32', 'IDC', 64520),
  network('2a02:100::/32', 'DYN', 64500),
  network('2a02:200::/32', 'MOB', 64512),
  network('31.0.0.0/16', undefined, 64521),
  network('2a01:200::/32', undefined, 64521),
  network('24.0.0.0/16', undefined, 64513),
];

function network(prefix: string, usageType: string | undefined, asn: number): Network {
  return { prefix: parsePrefix(prefix)!, usageType, hosting: usageType === 'IDC', mobile: usageType === 'MOB', asn };
}

const NOTHING = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false, asn: undefined };

const FACTS_OF = NETWORKS.map(({ prefix, usageType, hosting, mobile, asn }) => ({
  prefix,
  facts: { usageType, hosting, mobile, crawler: false, relay: false, asn },
}));

const FACTS: CollectionFacts = {
  network: (address) => FACTS_OF.find(({ prefix }) => contains(prefix, address))?.facts ?? NOTHING,
  isKnownGood: () => false,
};

/** @param scale 1: some 100,000 captures */
export function makeWorld(seed: number, scale: number): World {
  const maker = new WorldMaker(new Draw(seed), scale);
  maker.households();
  maker.phones();
  maker.sharedHosting();
  maker.rotatingServers();
  maker.servers();
  maker.homes();
  maker.dialledLines();
  maker.carrierNat();
  maker.botnets();
  return maker.world();
}

class WorldMaker {
  readonly #draw: Draw;
  readonly #scale: number;
  readonly #captures: SimulatedCapture[] = [];
  readonly #runs: SimulatedRun[] = [];
  readonly #rotated: RotatedPrefix[] = [];
  readonly #hijacked: Tenure[] = [];
  readonly #dialled: Tenure[] = [];

  constructor(draw: Draw, scale: number) {
    this.#draw = draw;
    this.#scale = scale;
  }

  world(): World {
    const captures = this.#captures.filter(({ at }) => at < END).sort((a, b) => a.at - b.at);
    const runs = [...this.#runs].sort((a, b) => a.at - b.at);
    return { captures, runs, facts: FACTS, rotated: this.#rotated, hijacked: this.#hijacked, dialled: this.#dialled };
  }

  /**
   * Homes with a /56 each. Every device has a new privacy address each day and after each of up to two reconnections a day; one home in three then gets
   * another /56 as well. One in ten is infected altogether, with up to ten devices.
   */
  households(): void {
    for (let home = 0; home < this.#many(1500); home++) {
      const devices = 1 + this.#draw.below(10);
      const infected = this.#draw.chance(0.1) ? devices : 1 + this.#draw.below(2);
      const changesPrefix = this.#draw.chance(1 / 3);
      let net = this.#draw.below(2 ** 16);
      for (let day = 0; day < DAYS; day++) {
        const reconnections = this.#draw.below(3);
        for (let part = 0; part <= reconnections; part++) {
          if (part > 0 && changesPrefix) net = this.#draw.below(2 ** 16);
          const [from, until] = [START + (day + part / (reconnections + 1)) * DAY_MS, START + (day + (part + 1) / (reconnections + 1)) * DAY_MS];
          for (let device = 0; device < infected; device++) {
            const address = ipv6(0x2a02_0100, net * 2 ** 16 + (home % 256) * 2 ** 8, this.#draw);
            this.#attack(address, from, until, 4 * HOUR_MS, 'household');
          }
        }
      }
    }
  }

  /** Phones with a /64 of their own, which changes some four times a day; 65,536 share a /48, and one in a thousand is infected. */
  phones(): void {
    const nets = this.#many(10);
    for (let phone = 0; phone < 65 * nets; phone++) {
      const net = phone % nets;
      for (const from of this.#draw.moments(START, END, 6 * HOUR_MS)) {
        const address = ipv6(0x2a02_0200, net * 2 ** 16 + this.#draw.below(2 ** 16), this.#draw);
        this.#attack(address, from, from + 6 * HOUR_MS, 4 * HOUR_MS, 'phone');
      }
    }
  }

  /** Customers of a provider that gives each a /64 out of one /48: forty of each are broken into, with one address each that stays. */
  sharedHosting(): void {
    const nets = this.#many(20);
    for (let server = 0; server < 40 * nets; server++) {
      const net = server % nets;
      const address = ipv6(net % 5 === 4 ? 0x2a01_0200 : 0x2a01_0100, net * 2 ** 16 + this.#draw.below(2 ** 16), this.#draw);
      this.#attack(address, START, END, 2 * HOUR_MS, 'shared hosting');
    }
  }

  /** Servers that use a new address of their /64, /56 or /48 for every attempt or every few; sensors see 10 to 2,000 attempts a day. */
  rotatingServers(): void {
    for (let server = 0; server < this.#many(150); server++) {
      const bits = [64, 56, 48][server % 3]!;
      const base = ipv6(0x2a01_0100, (1000 + server) * 2 ** 16 + (bits === 48 ? 0 : 2 ** 8), this.#draw);
      const prefix = prefixOf(base, bits);
      const perDay = 10 * 200 ** this.#draw.unit();
      const stays = 1 + this.#draw.below(4);
      let address = randomIn(prefix, this.#draw);
      let left = stays;
      const days = Array.from({ length: DAYS }, () => new Set<string>());
      for (const at of this.#draw.moments(START, END, DAY_MS / perDay)) {
        if (left-- === 0) {
          address = randomIn(prefix, this.#draw);
          left = stays - 1;
        }
        this.#capture(at, address, 'rotating server');
        days[Math.floor((at - START) / DAY_MS)]!.add(`${address.w1} ${address.w2} ${address.w3}`);
      }
      this.#rotated.push({ prefix, busiest: Math.max(...days.map(({ size }) => size)) });
    }
  }

  /**
   * Homes with one IPv4 address, which half of them keep, three in ten change daily and the rest every eight hours. A tenth is infected by one of five botnets,
   * a twentieth offers a proxy that its owner does not know of. Two lists of proxies know some of those, and are wrong about one entry in a hundred.
   */
  homes(): void {
    const provider = [20 * 256, 20 * 256 + 1, 20 * 256 + 2, 20 * 256 + 3, 23 * 256, 24 * 256];
    const held: Tenure[] = [];
    let holder = 0;
    for (const net of provider) {
      const homes = this.#many(1000);
      const free = shuffled(
        Array.from({ length: Math.ceil(1.3 * homes) }, (_, i) => i),
        this.#draw,
      );
      const dues: { readonly at: number; readonly home: number; readonly everyMs: number }[] = [];
      const current = new Map<number, Tenure>();
      const move = (home: number, at: number): void => {
        const before = current.get(home);
        const host = free.shift()!;
        if (before !== undefined) {
          held.push({ ...before, until: at });
          free.push(before.address.w0 & 0xffff);
        }
        current.set(home, { address: ipv4(net * 65536 + host), from: at, until: END, holder: home });
      };
      for (let i = 0; i < homes; i++, holder++) {
        move(holder, START);
        const kind = this.#draw.unit();
        const everyMs = kind < 0.5 ? Number.POSITIVE_INFINITY : kind < 0.8 ? DAY_MS : 8 * HOUR_MS;
        for (let at = START + this.#draw.unit() * everyMs; at < END; at += everyMs) dues.push({ at, home: holder, everyMs });
      }
      for (const { at, home } of dues.sort((a, b) => a.at - b.at)) move(home, at);
      held.push(...current.values());
    }
    this.#attacksOfHomes(held);
    this.#listsOfProxies(held);
  }

  #attacksOfHomes(held: readonly Tenure[]): void {
    for (const tenure of held) {
      const { address, from, until, holder } = tenure;
      if (isHijacked(holder)) {
        this.#hijacked.push(tenure);
        for (const at of this.#draw.moments(from, until, 2 * HOUR_MS)) this.#capture(at, address, 'hijacked home', `guest-${this.#draw.below(1e6)}`);
      } else if (isInfected(holder)) {
        for (const at of this.#draw.moments(from, until, 4 * HOUR_MS)) this.#capture(at, address, 'infected home', `botnet-${holder % 5}`);
      }
    }
  }

  /** One list tests hourly what it knows and drops what fails; the other gives daily what it met in the 24 hours before. */
  #listsOfProxies(held: readonly Tenure[]): void {
    const proxies = held.filter(({ holder }) => isHijacked(holder));
    const tested = proxies.filter(({ holder }) => (holder / HIJACKED_EVERY) % 4 === 0);
    const met = proxies.filter(({ holder }) => (holder / HIJACKED_EVERY) % 5 < 2);
    const wrong = (count: number): Address[] => Array.from({ length: Math.ceil(count / 100) }, () => held[this.#draw.below(held.length)]!.address);
    for (let at = START; at < END; at += HOUR_MS) {
      const found = tested.filter(({ from, until }) => from <= at - 30 * MINUTE_MS && until > at - HOUR_MS);
      this.#runs.push({ at, list: 'tested', addresses: [...found.map(({ address }) => address), ...this.#open, ...wrong(found.length)] });
    }
    for (let at = START; at < END; at += DAY_MS) {
      const found = met.filter(({ from, until }) => from <= at && until > at - DAY_MS);
      this.#runs.push({ at, list: 'daily', addresses: [...found.map(({ address }) => address), ...wrong(found.length)] });
    }
  }

  /** Servers that are open proxies, and attack; one in ten is in a network that no data calls hosting. No home is behind them. */
  readonly #open: Address[] = [];
  servers(): void {
    for (let server = 0; server < this.#many(200); server++) {
      const address = ipv4((this.#draw.chance(0.1) ? 31 : 30) * 2 ** 24 + this.#draw.below(2 ** 16));
      this.#open.push(address);
      this.#attack(address, START, END, 3 * HOUR_MS, 'open proxy on a server');
    }
    for (let scanner = 0; scanner < this.#many(150); scanner++)
      this.#attack(ipv4(30 * 2 ** 24 + 2 ** 17 + this.#draw.below(2 ** 16)), START, END, HOUR_MS, 'scanner', `scanner-${scanner}`);
    for (let phone = 0; phone < this.#many(100); phone++)
      this.#attack(ipv4(30 * 2 ** 24 + 2 ** 18 + this.#draw.below(2 ** 16)), START, END, 6 * HOUR_MS, 'cloud phone', `phone-${phone}`);
  }

  /**
   * Lines that are dialled again every 3 to 20 minutes for two hours a day, with 10 to 60 seconds between, and make attempts every half minute or so. Sensors see
   * seven of ten. Three lines of ten get addresses of sixteen /16 of their provider, the others of one.
   */
  dialledLines(): void {
    for (let line = 0; line < this.#many(60); line++) {
      const wide = this.#draw.chance(0.3);
      const everyMs = this.#draw.between(3, 20) * MINUTE_MS;
      for (let day = 0; day < DAYS; day++) {
        const from = START + day * DAY_MS + this.#draw.between(0, 20) * HOUR_MS;
        for (let at = from; at < from + 2 * HOUR_MS; at += everyMs) {
          const net = wide ? 21 * 256 + this.#draw.below(16) : [20 * 256 + 4, 20 * 256 + 5, 22 * 256][line % 3]!;
          const address = ipv4(net * 65536 + 2 ** 15 + this.#draw.below(2 ** 15));
          const until = at + everyMs - this.#draw.between(10, 60) * 1000;
          this.#dialled.push({ address, from: at, until, holder: line });
          for (const moment of this.#draw.moments(at, until, 30_000))
            if (this.#draw.chance(0.7)) this.#capture(moment, address, 'dialled line', `line-${line}`);
        }
      }
    }
  }

  /** Attackers behind carrier NAT: four of five keep their outer address, one gets any of 256 for each connection. Twenty connections an attack. */
  carrierNat(): void {
    for (let attacker = 0; attacker < this.#many(100); attacker++) {
      const paired = this.#draw.chance(0.8);
      const own = this.#draw.below(256);
      for (const from of this.#draw.moments(START, END, 4 * HOUR_MS)) {
        for (let at = from, i = 0; i < 20; i++, at += this.#draw.wait(10_000)) {
          const address = ipv4(23 * 2 ** 24 + 2 ** 15 + 256 * (attacker % 4) + (paired ? own : this.#draw.below(256)));
          this.#capture(at, address, 'carrier NAT', `nat-${attacker}`);
        }
      }
    }
  }

  /** One worm in the routers of one provider, whose bots cannot be told apart: one over its sixteen /16, one at a provider with a single /16. */
  botnets(): void {
    for (const [nets, first] of [
      [16, 21 * 256],
      [1, 22 * 256],
    ] as const) {
      for (let bot = 0; bot < this.#many(60); bot++) {
        const address = ipv4((first + this.#draw.below(nets)) * 65536 + this.#draw.below(2 ** 15));
        for (const from of this.#draw.moments(START, END, 6 * HOUR_MS)) {
          for (let at = from, i = 2 + this.#draw.below(4); i > 0; i--, at += this.#draw.wait(20_000))
            this.#capture(at, address, 'botnet of one provider', `worm-${nets}`);
        }
      }
    }
  }

  #attack(address: Address, from: number, until: number, meanMs: number, party: Party, actor = ''): void {
    for (const at of this.#draw.moments(from, until, meanMs)) this.#capture(at, address, party, actor);
  }

  #capture(at: number, address: Address, party: Party, actor = ''): void {
    const riskType = this.#draw.chance(0.5) ? 'honeypot_credential' : 'honeypot_scan';
    this.#captures.push({ at: Math.floor(at), address, riskType, actor, party });
  }

  #many(count: number): number {
    return Math.max(1, Math.round(count * this.#scale));
  }
}

const HIJACKED_EVERY = 20;
const isHijacked = (home: number): boolean => home % HIJACKED_EVERY === 0;
const isInfected = (home: number): boolean => home % 10 === 3;

const ipv4 = (w0: number): Address => ({ family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0 });
const ipv6 = (w0: number, w1: number, draw: Draw): Address => ({ family: 6, w0, w1: w1 >>> 0, w2: draw.word(), w3: draw.word() });

/** Any address of an IPv6 prefix of 33 to 64 bits. */
function randomIn({ w0, w1, bits }: Prefix, draw: Draw): Address {
  const free = bits === 64 ? 0 : 2 ** (64 - bits);
  return ipv6(w0, w1 + (free === 0 ? 0 : draw.below(free)), draw);
}

function shuffled<T>(values: T[], draw: Draw): T[] {
  for (let i = values.length - 1; i > 0; i--) {
    const j = draw.below(i + 1);
    [values[i], values[j]] = [values[j]!, values[i]!];
  }
  return values;
}
