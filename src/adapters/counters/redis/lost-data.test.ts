/** Walks through losses of data: once every node has asked again, the units used are the units answered. */
import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'iovalkey';
import { covers } from '../../../../test/spec/covers.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type RedisServer, startRedis } from '../../../../test/support/redis.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import type { QuotaId, Receipt } from '../../../core/quota/quota.ts';
import { unixMs } from '../../../core/units.ts';
import { SMALL_TABLES } from '../memory/ledger.fixture.ts';
import { MemoryLedger } from '../memory/memory-ledger.ts';
import { openSharedLedger } from '../memory/shared-ledger.ts';
import { refuseUnusableRedis } from '../open-ledger.ts';
import { RedisLedger } from './redis-ledger.ts';

const ZONE = 'Asia/Shanghai';
const NOON = unixMs(Date.UTC(2026, 10, 21, 4));
const NODES = 3;

/** Leads all connections to one of two servers, as a TCP proxy with fail-over does. */
class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number | undefined;
  port = 0;

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer((socket) => {
      if (this.#target === undefined) return void socket.destroy();
      const onward = connect(this.#target, '127.0.0.1');
      for (const one of [socket, onward]) {
        this.#sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          this.#sockets.delete(one);
          socket.destroy();
          onward.destroy();
        });
      }
      socket.pipe(onward).pipe(socket);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
  }

  lead(target: number | undefined): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.lead(undefined);
    this.#server.close();
  }
}

/** One node, whose process may be restarted over the same folder. */
class Node {
  readonly dir = testFolder('lost-data');
  ledger: RedisLedger;
  #runs = 0;
  readonly #url: string;
  /** Data was lost since the node last asked. */
  missed = false;

  constructor(url: string) {
    this.#url = url;
    this.ledger = this.#open();
  }

  #open(): RedisLedger {
    this.#runs += 1;
    const shared = openSharedLedger({ dir: this.dir, zone: ZONE, sharing: 'alone', ...SMALL_TABLES }, NOON);
    const fallback = new MemoryLedger(shared, { owner: 2, writer: `w${this.#runs}` });
    return new RedisLedger({
      url: this.#url,
      zone: ZONE,
      fallback,
      secret: Buffer.alloc(32, 1),
      answerWithinMs: 700,
    });
  }

  async restart(): Promise<void> {
    await this.ledger.close();
    this.ledger = this.#open();
  }
}

let why = '';
const servers: RedisServer[] = [];
let relay: Relay;
const portOf = ({ url }: RedisServer): number => Number(new URL(url).port);

before(async () => {
  for (let n = 0; n < 2; n += 1) {
    const started = await startRedis();
    if ('skip' in started) why = started.skip;
    else servers.push(started);
  }
  relay = new Relay(servers[0] === undefined ? 0 : portOf(servers[0]));
  await relay.listen();
});
after(async () => {
  relay.close();
  for (const server of servers) await server.dispose();
});

async function admin(server: RedisServer, ...command: [string, ...string[]]): Promise<unknown> {
  const redis = new Redis(server.url);
  try {
    return await redis.call(...command);
  } finally {
    redis.disconnect();
  }
}

type Step =
  | { readonly kind: 'ask'; readonly node: number; readonly times: number; readonly back: boolean }
  | { readonly kind: 'restart'; readonly node: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'away'; readonly frozen: boolean; readonly restarts: boolean; readonly each: readonly number[] }
  | { readonly kind: 'promote'; readonly lag: readonly number[] };

const node = fc.nat(NODES - 1);
const counts = fc.array(fc.nat(4), { minLength: NODES, maxLength: NODES });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), node, times: fc.nat(5), back: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const), node }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('away' as const),
      frozen: fc.boolean(),
      restarts: fc.boolean(),
      each: counts,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('promote' as const), lag: counts }) },
);

let serial = 0;

/** The world of one walk. It keeps each loss within what the nodes can know: what no living node saw is gone. */
class World {
  readonly id: QuotaId = `account:lost${++serial}`;
  readonly nodes: readonly Node[];
  answered = 0;
  givenBack = 0;
  #primary = servers[0]!;

  constructor() {
    relay.lead(portOf(this.#primary));
    this.nodes = Array.from({ length: NODES }, () => new Node(`redis://127.0.0.1:${relay.port}`));
  }

  async up(): Promise<void> {
    await eventually(() => this.nodes.every(({ ledger }) => ledger.state().up), { withinMs: 15_000 });
  }

  async ask(at: number, times: number, back = false): Promise<void> {
    const { ledger } = this.nodes[at]!;
    let receipt: Receipt | undefined;
    for (let n = 0; n < times; n += 1) {
      const result = await ledger.charge({
        at: NOON,
        units: 1,
        minute: [],
        day: [{ id: this.id, limit: 9999, hardLimit: 9999 }],
      });
      assert.ok(result.ok);
      receipt = result.receipt;
      this.answered += 1;
    }
    if (times > 0) this.nodes[at]!.missed = false;
    if (!back || receipt === undefined) return;
    await ledger.refund(receipt, NOON);
    this.givenBack += 1;
  }

  /** A node that slept through one loss asks before the next one. */
  async #lose(loss: () => Promise<unknown>): Promise<void> {
    for (const at of this.nodes.keys()) await this.#bring(at);
    await loss();
    for (const one of this.nodes) one.missed = true;
  }

  /** Only the process itself knows what it answered before a loss, so it asks before it ends. */
  async #bring(at: number): Promise<void> {
    if (this.nodes[at]!.missed) await this.ask(at, 1);
  }

  async take(one: Step): Promise<void> {
    if (one.kind === 'ask') return await this.ask(one.node, one.times, one.back);
    if (one.kind === 'restart') {
      await this.#bring(one.node);
      await this.ask((one.node + 1) % NODES, 1);
      await this.nodes[one.node]!.restart();
    } else if (one.kind === 'flush') {
      await this.#lose(() => admin(this.#primary, 'FLUSHALL'));
    } else if (one.kind === 'away') await this.#away(one);
    else await this.#lose(() => this.#promote(one.lag));
    // A connection that the relay has closed is still up for its node.
    await setTimeout(50);
    await this.up();
  }

  async #away({ frozen, restarts, each }: Step & { kind: 'away' }): Promise<void> {
    if (restarts) await this.#bring(0);
    if (frozen) this.#primary.freeze();
    else relay.lead(undefined);
    for (const [at, times] of each.entries()) await this.ask(at, times, times > 2);
    // A frozen server may yet count what it was asked by a node that is gone, and that node counted it alone.
    if (restarts && !frozen) {
      await this.ask(1, 1);
      await this.nodes[0]!.restart();
      await this.ask(0, 1);
    }
    if (frozen) this.#primary.resume();
    else relay.lead(portOf(this.#primary));
  }

  /** The replica lacks the newest charges when it is promoted. */
  async #promote(lag: readonly number[]): Promise<void> {
    const [old, next] = [this.#primary, servers.find((server) => server !== this.#primary)!];
    await admin(next, 'REPLICAOF', '127.0.0.1', String(portOf(old)));
    await eventually(async () => /master_link_status:up/.test(String(await admin(next, 'INFO', 'replication'))), {
      withinMs: 15_000,
    });
    await admin(next, 'REPLICAOF', 'NO', 'ONE');
    for (const [at, times] of lag.entries()) await this.ask(at, times);
    relay.lead(portOf(next));
    this.#primary = next;
  }

  async close(): Promise<void> {
    for (const { ledger } of this.nodes) await ledger.close();
  }
}

async function walk(steps: readonly Step[]): Promise<void> {
  const world = new World();
  try {
    await world.up();
    for (const one of steps) await world.take(one);
    await world.up();
    for (const at of world.nodes.keys()) await world.ask(at, 1);
    const usages = await eventually(() => Promise.all(world.nodes.map(({ ledger }) => ledger.usage(world.id, NOON))));
    for (const { used, refunded } of usages)
      assert.deepEqual([used, refunded], [world.answered - world.givenBack, world.givenBack]);
  } finally {
    await world.close();
  }
}

describe('ledger over a Redis that loses data', () => {
  test('a cluster is refused with the reason', async (t) => {
    if (why !== '') return t.skip(why);
    covers('SHARED-EXACT');
    const cluster = await startRedis(['--cluster-enabled', 'yes']);
    assert.ok(!('skip' in cluster));
    try {
      await assert.rejects(refuseUnusableRedis({ redisUrl: cluster.url }), /PULSE_REDIS_URL .*Redis Cluster/);
      await refuseUnusableRedis({ redisUrl: servers[0]!.url });
      await refuseUnusableRedis({ redisUrl: 'redis://127.0.0.1:1' });
    } finally {
      await cluster.dispose();
    }
  });

  test('restarts, a loss and then an outage lose no lookup', async (t) => {
    if (why !== '') return t.skip(why);
    covers('SHARED-EXACT');
    await walk([
      { kind: 'ask', node: 0, times: 60, back: false },
      { kind: 'ask', node: 1, times: 40, back: false },
      { kind: 'restart', node: 0 },
      { kind: 'restart', node: 1 },
      { kind: 'flush' },
      { kind: 'ask', node: 0, times: 1, back: false },
      { kind: 'ask', node: 1, times: 1, back: false },
      { kind: 'away', frozen: true, restarts: false, each: [40, 40, 0] },
    ]);
  });

  test('once every node has asked again, the units used are the units answered', async (t) => {
    if (why !== '') return t.skip(why);
    covers('SHARED-EXACT');
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), walk), {
      numRuns: 10,
      endOnFailure: true,
    });
  });

  test('while Redis is away, n nodes together answer at most n times what was left', async (t) => {
    if (why !== '') return t.skip(why);
    covers('SHARED-EXACT');
    const world = new World();
    try {
      await world.up();
      const charge = async (at: number): Promise<boolean> =>
        (
          await world.nodes[at]!.ledger.charge({
            at: NOON,
            units: 1,
            minute: [],
            day: [{ id: world.id, limit: 50, hardLimit: 50 }],
          })
        ).ok;
      for (let n = 0; n < 30; n += 1) assert.ok(await charge(n % NODES));
      for (const at of world.nodes.keys()) await world.nodes[at]!.ledger.usage(world.id, NOON);
      relay.lead(undefined);
      let answered = 30;
      for (let n = 0; n < 90; n += 1) if (await charge(n % NODES)) answered += 1;
      assert.equal(answered, 30 + NODES * 20);
      relay.lead(portOf(servers[0]!));
      await world.up();
      for (const at of world.nodes.keys()) assert.equal(await charge(at), false);
      assert.equal((await world.nodes[0]!.ledger.usage(world.id, NOON)).used, answered);
    } finally {
      await world.close();
    }
  });
});
