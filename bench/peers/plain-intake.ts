/**
 * What a plain service does with the same bodies, in a process of its own: fastify and node:sqlite on one thread. It reads each line with JSON.parse, checks nothing,
 * stores a row for each capture in one transaction a body, and answers look-ups from that table. Nothing is derived and no verdict is made.
 *
 *   node bench/peers/plain-intake.ts DATABASE    prints its port
 */
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import fastify from 'fastify';

const database = new DatabaseSync(process.argv[2]!);
database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -65536');
database.exec(
  'create table captures (ip text not null, source text not null, risk_type text not null, at integer not null, primary key (ip, source, risk_type, at)) without rowid',
);
const insert = database.prepare('insert or ignore into captures (ip, source, risk_type, at) values (?, ?, ?, ?)');
const newest = database.prepare(
  'select source, risk_type, max(at) as at from captures where ip = ? group by source, risk_type',
);

interface Row {
  readonly ip: string;
  readonly risk_type: string;
  readonly captured_at: string;
  readonly first_captured_at?: string;
}

function take(body: Buffer, source: string): number {
  let accepted = 0;
  const store = ({ ip, risk_type }: Row, at: string): void => {
    insert.run(ip, source, risk_type, Date.parse(at));
    accepted++;
  };
  database.exec('begin immediate');
  for (const line of gunzipSync(body).toString().split('\n')) {
    if (line === '') continue;
    const row = JSON.parse(line) as Row;
    if (row.first_captured_at !== undefined) store(row, row.first_captured_at);
    store(row, row.captured_at);
  }
  database.exec('commit');
  return accepted;
}

const app = fastify({ bodyLimit: 8 * 1024 * 1024 });
app.addContentTypeParser('application/x-ndjson', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post<{ Body: Buffer; Querystring: { source: string } }>('/v1/evidence', async ({ body, query }, reply) => {
  reply.code(202);
  return { accepted: take(body, query.source) };
});
app.get<{ Params: { ip: string } }>('/v1/ip/:ip', async ({ params }) => ({
  ip: params.ip,
  evidence: newest.all(params.ip),
}));
await app.listen({ port: 0, host: '127.0.0.1' });
console.log((app.server.address() as { readonly port: number }).port);
