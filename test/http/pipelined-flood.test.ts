/**
 * A stranger sends requests by the thousand over few connections: the process stays within its descriptors,
 * and others are answered meanwhile.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const CONNECTIONS = 12;
const REQUESTS = 1000;
const DESCRIPTORS_MORE_MAX = 200;

const json = 'Content-Type: application/json\r\n';
const FLOODS: Readonly<Record<string, string>> = {
  pages: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'pages that a browser opens': 'GET /en/docs HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n',
  'heads of unknown paths': 'HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n',
  'lookups with a made-up session': `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\nCookie: pulse_session=${'x'.repeat(43)}\r\n\r\n`,
  'lookups of the past': 'GET /pulse/v1/ip/8.8.8.8?at=2026-11-20T00:00:00Z HTTP/1.1\r\nHost: a\r\n\r\n',
  'batches of unknown length': `POST /v1/ip/batch HTTP/1.1\r\nHost: a\r\n${json}Transfer-Encoding: chunked\r\n\r\n13\r\n{"ips":["8.8.8.8"]}\r\n0\r\n\r\n`,
  'messages of MCP': `POST /mcp HTTP/1.1\r\nHost: a\r\n${json}Content-Length: 2\r\n\r\n{}`,
  'sign-ins': `POST /console/api/session/sign-in HTTP/1.1\r\nHost: a\r\n${json}Content-Length: 2\r\n\r\n{}`,
  'expectations that are not met': 'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n',
};

describe('requests pipelined by the thousand', {
  skip: process.platform !== 'linux' && 'descriptors are counted in /proc',
}, () => {
  let server: ServeProcess;
  before(async () => {
    server = await serveProcess({ env: { ...MANY_ANONYMOUS, PULSE_WORKERS: '2' } });
  });
  after(() => server.dispose());

  const descriptors = (): number => readdirSync(`/proc/${server.child.pid}/fd`).length;

  for (const [name, request] of Object.entries(FLOODS))
    test(`${name} take no descriptors and leave lookups alone`, async () => {
      covers('CONN-PIPELINED');
      const before = descriptors();
      let most = 0;
      let answered = 0;
      const clients = Array.from({ length: CONNECTIONS }, () => flood(server.port, request, () => answered++));
      const look = async (): Promise<void> => {
        most = Math.max(most, descriptors());
        assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`)).status, 200);
      };
      await look();
      const ended = async (): Promise<boolean> => {
        await look();
        return clients.every((client) => client.destroyed);
      };
      // Twelve thousand requests on a busy machine.
      await eventually(ended, { withinMs: 60_000 });
      assert.ok(most - before < DESCRIPTORS_MORE_MAX, `${before} before, ${most} at most`);
      assert.ok(answered >= CONNECTIONS, 'each connection had an answer');
      assert.notEqual((await fetch(`${server.base}/robots.txt`)).status, 503, 'the app thread answers again');
    });
});

/** Sends everything at once, reads, and ends when the server ends. */
function flood(port: number, request: string, onAnswer: () => void): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.end(request.repeat(REQUESTS)));
  socket.on('data', onAnswer).on('error', () => socket.destroy());
  return socket;
}
