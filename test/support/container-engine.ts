/**
 * Podman with a store of its own, which later runs find again: base images from Debian's packages, and layers
 * of builds that did not change. No registry of images is asked.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import { testFolder } from './test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** On a disk: layers of overlay file systems are not kept in memory. */
const STORE = '/var/tmp/pulse-test-containers';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const BASE = 'localhost/pulse-test/debian';
const NODE = 'localhost/pulse-test/node';

export interface ContainerEngine {
  /** Runs `podman` with these words. @returns standard output. @throws Error with its standard error */
  podman(words: readonly string[]): Promise<string>;
  /** As above, and answers whether it succeeded. */
  succeeds(words: readonly string[]): Promise<boolean>;
  /** What a container wrote, to either stream. */
  logs(container: string): Promise<string>;
  /** Builds a Containerfile over a folder; its `RUN` steps use this machine's network. */
  build(folder: string, containerfile: string, tag: string, words?: readonly string[]): Promise<void>;
  /** Options for a container that may open so many files, as far as this machine allows. */
  limits(openFiles: number): readonly string[];
}

/**
 * A network of its own for containers. Were their interfaces this machine's, browsers of other tests would
 * break off what they load each time one comes or goes.
 */
export interface ContainerNetwork {
  readonly engine: ContainerEngine;
  /** Runs a program in the network. @returns standard output */
  run(program: string, words: readonly string[]): Promise<string>;
  close(): void;
}

/** Images that stand in for those of registries: Debian, and Debian with the bundled Node and this machine's npm. */
export const BASE_IMAGES = { debian: BASE, node: NODE } as const;

/** Opens the engine with its base images, or returns the reason why containers cannot run here, for `t.skip`. */
export async function openContainerEngine(): Promise<ContainerEngine | { readonly skip: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { skip: 'containers are built and started by root on Linux alone' };
  const programs = { podman: 'podman', runc: 'runc', mmdebstrap: 'mmdebstrap', ip: 'iproute2', curl: 'curl' };
  // Containers find each other by name over these; Podman only recommends them.
  const network = { netavark: 'netavark', 'aardvark-dns': 'aardvark-dns' };
  for (const [name, debianPackage] of Object.entries({ ...programs, ...network }))
    if (findProgram(name, debianPackage) === undefined)
      return { skip: `${name} is not installed and cannot be installed here` };
  const engine = prepare();
  const works = await engine.podman(['info']).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (works !== undefined) return { skip: `podman does not work here: ${works}` };
  try {
    if (!(await engine.succeeds(['image', 'exists', BASE]))) await importDebian(engine);
    await buildNode(engine);
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return { skip: `Debian's packages cannot be had here: ${(error as Error).message.slice(-300)}` };
  }
  return engine;
}

/** Tells whether a build failed because packages could not be fetched, which says nothing of what is built. */
export const isOutOfReach = (error: unknown): boolean =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|Temporary failure resolving|Could not (?:connect|resolve)|Failed to fetch/.test(
    (error as Error).message,
  );

/** @throws Error if the machine makes no network namespaces */
export function openContainerNetwork(): ContainerNetwork {
  const name = `pulse-test-${process.pid}`;
  execFileSync('ip', ['netns', 'add', name]);
  execFileSync('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  const within = ['nsenter', `--net=/run/netns/${name}`];
  return {
    engine: prepare(within),
    run: async (program, words) => {
      const [enter, ...rest] = within;
      return (await promisify(execFile)(enter!, [...rest, program, ...words])).stdout;
    },
    close: () => execFileSync('ip', ['netns', 'delete', name]),
  };
}

/** @param within words before `podman` */
function prepare(within: readonly string[] = []): ContainerEngine {
  mkdirSync(STORE, { recursive: true, mode: 0o700 });
  const allowed = readFileSync('/proc/self/limits', 'utf8');
  const limit = (name: string, most: number): number => {
    const [, own] = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(allowed) ?? [];
    return Math.min(Number(own ?? most), most);
  };
  const nproc = limit('processes', 32_768);
  const limits = Object.entries({ nofile: limit('open files', 65_536), nproc });
  const [settings, storage] = [join(STORE, 'containers.conf'), join(STORE, 'storage.conf')];
  // Older crun refuses mixed control groups, and no limit may be above this process's own.
  writeFileSync(
    settings,
    `[containers]\ndefault_ulimits = ${JSON.stringify(limits.map(([name, most]) => `${name}=${most}:${most}`))}\nlog_driver = "k8s-file"\n[network]\nnetwork_backend = "netavark"\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${STORE}/images"\nrunroot = "${STORE}/containers"\n`,
  );
  const env = { ...process.env, CONTAINERS_CONF: settings, CONTAINERS_STORAGE_CONF: storage, TMPDIR: '/var/tmp' };
  const run = (words: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> => {
    const options = { env, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 } as const;
    const [program, ...rest] = [...within, 'podman', ...words];
    return promisify(execFile)(program!, rest, options);
  };
  const podman = async (words: readonly string[]): Promise<string> => (await run(words)).stdout;
  return {
    podman,
    succeeds: (words) =>
      podman(words).then(
        () => true,
        () => false,
      ),
    logs: async (container) => Object.values(await run(['logs', container])).join(''),
    async build(folder, containerfile, tag, words = []) {
      const own = ['--isolation=chroot', '--network=host', '--layers', `--volume=${homedir()}/.npm:/npm-cache`];
      await podman(['build', ...own, ...words, '--file', containerfile, '--tag', tag, folder]);
    },
    limits: (openFiles) => [
      `--ulimit=nofile=${limit('open files', openFiles)}:${limit('open files', openFiles)}`,
      `--ulimit=nproc=${nproc}:${nproc}`,
    ],
  };
}

async function importDebian(engine: ContainerEngine): Promise<void> {
  const archive = join(STORE, `debian-${process.pid}.tar`);
  const made = spawnSync('mmdebstrap', ['--variant=apt', '--mode=root', '--quiet', 'bookworm', archive], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`mmdebstrap ended with ${made.status}: ${made.stderr}`);
  await engine.podman(['import', archive, BASE]);
  spawnSync('rm', [archive]);
}

async function buildNode(engine: ContainerEngine): Promise<void> {
  const folder = testFolder('node-image');
  cpSync(process.execPath, join(folder, 'node'));
  cpSync(npmFolder(), join(folder, 'npm'), { recursive: true });
  const trusted = existsSync(CERTIFICATES);
  if (trusted) cpSync(CERTIFICATES, join(folder, 'certificates.crt'));
  writeFileSync(
    join(folder, 'Containerfile'),
    [
      `FROM ${BASE}`,
      'RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1',
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
      ...(trusted ? [`COPY certificates.crt ${CERTIFICATES}`, `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`] : []),
      'ENV npm_config_prefer_offline=true npm_config_cache=/npm-cache',
    ].join('\n'),
  );
  await engine.build(folder, join(folder, 'Containerfile'), NODE);
}

const npmFolder = (): string => join(spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout.trim(), 'npm');

/** The files that a clone would have, as they stand now. */
export function cleanClone(): string {
  const folder = testFolder('clone');
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`);
  for (const file of listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  return folder;
}

/** Builds deploy/Containerfile from a clean clone. */
export async function buildPulse(engine: ContainerEngine, tag: string): Promise<void> {
  const clone = cleanClone();
  const bases = [`--build-arg=NODE_IMAGE=${NODE}`, `--build-arg=BASE_IMAGE=${BASE}`];
  await engine.build(clone, join(clone, 'deploy/Containerfile'), tag, bases);
}

/**
 * Builds one image with the programs of Debian under the names that the images of compose.yaml have, and an
 * entry that makes a cluster as that of PostgreSQL does.
 */
export async function buildStandIns(engine: ContainerEngine): Promise<void> {
  const folder = testFolder('stand-ins');
  writeFileSync(join(folder, 'postgres.sh'), POSTGRES_ENTRY);
  chmodSync(join(folder, 'postgres.sh'), 0o755);
  const all = 'localhost/pulse-test/stand-in';
  const build = (name: string, lines: readonly string[], tag: string): Promise<void> => {
    writeFileSync(join(folder, name), lines.join('\n'));
    return engine.build(folder, join(folder, name), tag);
  };
  await build(
    'all',
    [
      `FROM ${BASE}`,
      'RUN apt-get update && apt-get install --yes --no-install-recommends busybox caddy postgresql redis-server',
      // The image of PostgreSQL has these modes.
      'RUN chmod 3777 /var/run/postgresql && useradd --system valkey && rm -rf /var/lib/postgresql/* \\',
      '  && install --directory --owner=valkey /data && install --directory --owner=postgres /var/lib/postgresql/data \\',
      '  && mkdir /config /docker-entrypoint-initdb.d && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin \\',
      '  && ln -s /usr/bin/redis-server /usr/local/bin/valkey-server && ln -s /bin/busybox /usr/local/bin/wget \\',
      '  && ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli',
      'COPY postgres.sh /usr/local/bin/',
    ],
    all,
  );
  await build('postgres', [`FROM ${all}`, 'ENTRYPOINT ["postgres.sh"]'], STAND_INS.postgres);
  await build('valkey', [`FROM ${all}`, 'USER valkey'], STAND_INS.valkey);
  const caddy = '"caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"';
  await build(
    'caddy',
    [`FROM ${all}`, 'RUN chown root:root /data', 'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data', `CMD [${caddy}]`],
    STAND_INS.caddy,
  );
}

export const STAND_INS = {
  postgres: 'localhost/pulse-test/postgres',
  valkey: 'localhost/pulse-test/valkey',
  caddy: 'localhost/pulse-test/caddy',
} as const;

const POSTGRES_ENTRY = `#!/bin/sh
set -eu
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust
  pg_ctl --wait --options="-c listen_addresses=''" start
  for file in /docker-entrypoint-initdb.d/*.sql; do psql --username=postgres --set=ON_ERROR_STOP=1 --file="$file"; done
  pg_ctl --wait stop
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
fi
exec postgres -c 'listen_addresses=*'
`;
