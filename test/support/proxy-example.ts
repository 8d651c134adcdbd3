import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { testFolder } from './test-folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../deploy/proxy');

/** The program of each example; Debian has it as a package. Undefined where it cannot be had. */
export const NGINX = findProgram('nginx', 'nginx-light');
export const CADDY = findProgram('caddy', 'caddy');
export const HAPROXY = findProgram('haproxy', 'haproxy');

export interface ProxyExample {
  /** Answers once a node behind it is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts deploy/proxy/nginx.conf without TLS, on a loopback port, in front of these nodes (ports). */
export function startNginx(port: number, nodes: readonly number[]): ProxyExample {
  const config = layNginx('plain', (example) =>
    example
      .slice(0, example.lastIndexOf('server {'))
      .replace(/^( *server) 127\.0\.0\.1:8080(.*)$/m, (_, server, more) =>
        nodes.map((node) => `${server} 127.0.0.1:${node}${more}`).join('\n'),
      )
      .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
      .replace(/^ *(listen \[::\]|ssl_).*\n/gm, ''),
  );
  return runNginx(config, port);
}

export const runNginx = ({ folder, file }: ReturnType<typeof layNginx>, port: number): ProxyExample =>
  watched(spawn(NGINX!, ['-p', folder, '-c', file, '-g', 'daemon off;']), port);

/** Starts deploy/proxy/Caddyfile as it is, for a site of plain HTTP on a loopback port. */
export function startCaddy(port: number, nodes: readonly number[]): ProxyExample {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: testFolder('caddy'),
    PULSE_SITE: `http://127.0.0.1:${port}`,
    PULSE_NODES: nodes.map((node) => `127.0.0.1:${node}`).join(' '),
  };
  const words = ['run', '--config', join(EXAMPLES, 'Caddyfile'), '--adapter', 'caddyfile'];
  return watched(spawn(CADDY!, words, { env }), port);
}

/** Starts deploy/proxy/haproxy.cfg on a loopback port: with TLS as it is, by this certificate and key, or without. */
export function startHaproxy(port: number, nodes: readonly number[], certificate?: string): ProxyExample {
  const file = join(testFolder('haproxy'), 'haproxy.cfg');
  const example = readFileSync(join(EXAMPLES, 'haproxy.cfg'), 'utf8')
    .replace(/^ *bind :80\n/m, '')
    .replace(/^( *server) one 127\.0\.0\.1:8080(.*)$/m, (_, server, more) =>
      nodes.map((node) => `${server} n${node} 127.0.0.1:${node}${more}`).join('\n'),
    );
  const plain = example.replace(/^ *http-request redirect.*\n/m, '').replace(/:443 ssl.*/, `127.0.0.1:${port}`);
  const tls = example.replace(':443', `127.0.0.1:${port}`).replace('/etc/haproxy/pulse.pem', certificate ?? '');
  writeFileSync(file, certificate === undefined ? plain : tls);
  return watched(spawn(HAPROXY!, ['-f', file, '-db']), port);
}

/** A configuration around the example of nginx, which stands inside `http` where it is installed. */
export function layNginx(
  name: string,
  change: (example: string) => string,
): { readonly folder: string; readonly file: string } {
  const folder = testFolder('nginx');
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, `${name}.inc`), change(readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8')));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ');
  const file = join(folder, `${name}.conf`);
  const http = `access_log off; ${paths} include ${join(folder, `${name}.inc`)};`;
  const main = `pid ${join(folder, `${name}.pid`)}; error_log stderr; worker_processes 1;`;
  writeFileSync(file, `${main} events {} http { ${http} }\n`);
  return { folder, file };
}

function watched(proxy: ChildProcess, port: number): ProxyExample {
  let said = '';
  for (const stream of [proxy.stdout!, proxy.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
  return {
    async ready() {
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
      await eventually(answers, { hint: () => said });
    },
    async stop() {
      proxy.kill('SIGTERM');
      if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
    },
  };
}
