import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { type ContainerEngine, cleanClone, STAND_INS } from './container-engine.ts';
import { eventually } from './eventually.ts';

type Names = readonly string[] | Readonly<Record<string, unknown>>;

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks?: Names;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly pids_limit?: number;
  readonly mem_limit?: string;
  readonly ulimits?: { readonly nofile: number };
  readonly healthcheck?: { readonly test: readonly [kind: string, ...words: string[]] };
  readonly [other: string]: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<
    Record<string, { readonly internal?: boolean; readonly ipam?: { readonly config: readonly { subnet: string }[] } }>
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** Read by this file; any other key of a service fails the start, since nothing would be known of it. */
const READ = new Set([
  ...['image', 'user', 'command', 'environment', 'depends_on', 'secrets', 'volumes', 'tmpfs', 'networks', 'cap_drop'],
  ...['cap_add', 'security_opt', 'read_only', 'pids_limit', 'mem_limit', 'ulimits', 'healthcheck'],
]);
/** Restarting is the runner's, and ports of this machine are left alone. */
const LEFT_OUT = new Set(['restart', 'ports']);

export interface ComposeServices {
  readonly names: readonly string[];
  /** Container of a service. */
  container(service: string): string;
  /** Runs the health check of a service once, as the runner of containers does. */
  isHealthy(service: string): Promise<boolean>;
  dispose(): Promise<void>;
}

export interface ComposeOptions {
  readonly pulseImage: string;
  /** Values of variables that the file asks for, in place of those of .env.example. */
  readonly variables: Readonly<Record<string, string>>;
  /** Added to the environment of every service of the image `pulse`. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts the services of a compose file of deploy/ in the order of their dependencies, each with everything
 * that the file says of it, from a clean clone with new secrets. Programs of registries are Debian's.
 */
export async function startCompose(
  engine: ContainerEngine,
  file: string,
  { pulseImage, variables, environment }: ComposeOptions,
): Promise<ComposeServices> {
  const folder = join(cleanClone(), 'deploy');
  execFileSync('sh', [join(folder, 'make-secrets.sh')]);
  const text = readFileSync(join(folder, file), 'utf8');
  const example = readFileSync(join(folder, '.env.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  const given = { ...Object.fromEntries([...example].map(([, name, value]) => [name!, value!])), ...variables };
  const compose = parse(filled(text, given), { merge: true }) as ComposeFile;
  for (const [name, { file }] of Object.entries(compose.secrets))
    if (!existsSync(join(folder, file))) writeFileSync(join(folder, file), name, { mode: 0o444 });
  const prefix = `pulse-test-${process.pid}`;
  const container = (service: string): string => `${prefix}-${service}`;
  const network = (name: string): string => `${prefix}-${name}`;
  const volume = (name: string): string => `${prefix}-${name}`;
  const volumes = new Set<string>();

  const isHealthy = async (service: string): Promise<boolean> => {
    const [kind, ...words] = compose.services[service]!.healthcheck!.test;
    return engine.succeeds(['exec', container(service), ...(kind === 'CMD' ? words : ['sh', '-c', ...words])]);
  };

  const start = async (name: string, service: Service): Promise<void> => {
    const unread = Object.keys(service).filter((key) => !READ.has(key) && !LEFT_OUT.has(key));
    if (unread.length > 0) throw new Error(`${file}: ${name}: nothing here reads ${unread.join(', ')}`);
    const option = (flag: string, values: readonly (string | number | undefined)[] = []): readonly string[] =>
      values.flatMap((value) => (value === undefined ? [] : [`--${flag}=${value}`]));
    const mounts = (service.volumes ?? []).map((mount) => {
      const [from, to, ...mode] = mount.split(':');
      if (!from!.startsWith('.')) volumes.add(volume(from!));
      return [from!.startsWith('.') ? resolve(folder, from!) : volume(from!), to, ...mode].join(':');
    });
    const secrets = (service.secrets ?? []).map((secret) => {
      const path = resolve(folder, compose.secrets[secret]!.file);
      return `${path}:/run/secrets/${secret}:ro`;
    });
    const networks = Object.entries(
      Array.isArray(service.networks)
        ? Object.fromEntries(service.networks.map((one: string) => [one, {}]))
        : (service.networks ?? {}),
    ).map(([one, details]) => {
      const address = (details as { ipv4_address?: string }).ipv4_address;
      return `${network(one)}:${['alias='.concat(name), ...(address === undefined ? [] : [`ip=${address}`])].join(',')}`;
    });
    const image = service.image.split(':')[0]!.split('/').at(-1)!;
    const own = image === 'pulse';
    const variables = Object.entries({ ...service.environment, ...(own && environment) });
    await engine.podman([
      'run',
      '--detach',
      `--name=${container(name)}`,
      ...(service.read_only === true ? ['--read-only', '--read-only-tmpfs=false'] : []),
      ...option('user', [service.user]),
      ...option('cap-drop', service.cap_drop),
      ...option('cap-add', service.cap_add),
      ...option('security-opt', service.security_opt),
      ...option('tmpfs', service.tmpfs),
      ...option('pids-limit', [service.pids_limit]),
      ...option('memory', [service.mem_limit]),
      ...(service.ulimits === undefined ? [] : engine.limits(service.ulimits.nofile)),
      ...option(
        'env',
        variables.map(([key, value]) => `${key}=${value}`),
      ),
      ...option('volume', [...mounts, ...secrets]),
      ...option('network', networks),
      own ? pulseImage : STAND_INS[image as keyof typeof STAND_INS],
      ...(service.command ?? []),
    ]);
    if (service.healthcheck === undefined) return;
    const state = (): Promise<string> => engine.podman(['inspect', '--format', '{{.State.Running}}', container(name)]);
    const settled = async (): Promise<boolean> => (await state()).trim() !== 'true' || (await isHealthy(name));
    await eventually(settled, { withinMs: 180_000, everyMs: 500 }).catch(async (cause) => {
      throw new Error(`${name} is not healthy:\n${await engine.logs(container(name))}`, { cause });
    });
    if ((await state()).trim() !== 'true') throw new Error(`${name} has ended:\n${await engine.logs(container(name))}`);
  };

  const dispose = async (): Promise<void> => {
    const all = Object.keys(compose.services).map(container).toReversed();
    // It fails for a container that ends by itself just as it is killed.
    await eventually(() => engine.podman(['rm', '--force', '--ignore', '--time=0', ...all]));
    for (const name of volumes) await engine.podman(['volume', 'rm', '--force', name]);
    for (const name of Object.keys(compose.networks ?? {}))
      await engine.podman(['network', 'rm', '--force', network(name)]);
  };

  try {
    for (const [name, details] of Object.entries(compose.networks ?? {}))
      await engine.podman([
        'network',
        'create',
        ...(details.internal === true ? ['--internal'] : []),
        ...(details.ipam?.config ?? []).map(({ subnet }) => `--subnet=${subnet}`),
        network(name),
      ]);
    const started = new Set<string>();
    const waiting = Object.entries(compose.services);
    while (waiting.length > 0) {
      const next = waiting.findIndex(([, { depends_on }]) =>
        Object.keys(depends_on ?? {}).every((one) => started.has(one)),
      );
      if (next < 0) throw new Error(`${file}: services wait for each other`);
      const [[name, service]] = waiting.splice(next, 1) as [[string, Service]];
      await start(name, service);
      started.add(name);
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  return { names: Object.keys(compose.services), container, isHealthy, dispose };
}

/** Puts in `${NAME}` and `${NAME:?reason}`, and makes `$$` a dollar. */
const filled = (text: string, variables: Readonly<Record<string, string>>): string =>
  text
    .replace(/(?<!\$)\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`the file asks for ${name}`);
      return value;
    })
    .replaceAll('$$', '$');
