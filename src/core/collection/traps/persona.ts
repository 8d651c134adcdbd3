/**
 * The machine that a sensor imitates comes from its secret. It is equal at each start, differs between
 * sensors, and combines parts that occur together on real machines.
 */
export interface Persona {
  readonly host: string;
  readonly system: System;
  readonly web: 'nginx' | 'apache';
  readonly realm: string;
  readonly ftp: 'vsftpd' | 'proftpd';
  readonly vncRefusal: string;
  readonly mysqlThreads: number;
  readonly ssh: SshPersona;
}

export interface SshPersona {
  readonly ident: string;
  readonly kex: readonly string[];
  readonly ciphers: readonly string[];
  readonly macs: readonly string[];
}

interface System {
  readonly ssh: string;
  readonly issue: string;
  readonly postfix: string;
  readonly nginx: string;
  readonly apache: string;
  readonly vsftpd: string;
  readonly mysql: string;
  readonly redis: number;
  /** PostgreSQL's `auth.c` refuses a password in this line. */
  readonly postgresqlLine: string;
}

const SYSTEMS: readonly System[] = [
  { ssh: 'OpenSSH_8.2p1 Ubuntu-4ubuntu0.11', issue: 'Ubuntu 20.04.6 LTS', postfix: 'Postfix (Ubuntu)', nginx: 'nginx/1.18.0 (Ubuntu)', apache: 'Apache/2.4.41 (Ubuntu)', vsftpd: '3.0.5', mysql: '5.5.5-10.3.39-MariaDB-0ubuntu0.20.04.2', redis: 5, postgresqlLine: '333' },
  { ssh: 'OpenSSH_8.9p1 Ubuntu-3ubuntu0.10', issue: 'Ubuntu 22.04.4 LTS', postfix: 'Postfix (Ubuntu)', nginx: 'nginx/1.18.0 (Ubuntu)', apache: 'Apache/2.4.52 (Ubuntu)', vsftpd: '3.0.5', mysql: '5.5.5-10.6.18-MariaDB-0ubuntu0.22.04.1', redis: 6, postgresqlLine: '326' },
  { ssh: 'OpenSSH_8.4p1 Debian-5+deb11u3', issue: 'Debian GNU/Linux 11', postfix: 'Postfix (Debian/GNU)', nginx: 'nginx/1.18.0', apache: 'Apache/2.4.62 (Debian)', vsftpd: '3.0.3', mysql: '5.5.5-10.5.26-MariaDB-0+deb11u2', redis: 6, postgresqlLine: '347' },
  { ssh: 'OpenSSH_9.2p1 Debian-2+deb12u3', issue: 'Debian GNU/Linux 12', postfix: 'Postfix (Debian/GNU)', nginx: 'nginx/1.22.1', apache: 'Apache/2.4.62 (Debian)', vsftpd: '3.0.3', mysql: '5.5.5-10.11.6-MariaDB-0+deb12u1', redis: 7, postgresqlLine: '323' },
  { ssh: 'OpenSSH_7.4', issue: 'CentOS Linux 7 (Core)\r\nKernel 3.10.0-1160.el7.x86_64 on an x86_64', postfix: 'Postfix', nginx: 'nginx/1.20.1', apache: 'Apache/2.4.6 (CentOS)', vsftpd: '3.0.2', mysql: '5.5.68-MariaDB', redis: 3, postgresqlLine: '285' },
  { ssh: 'OpenSSH_8.0', issue: 'AlmaLinux 8.10 (Cerulean Leopard)\r\nKernel 4.18.0-553.el8_10.x86_64 on an x86_64', postfix: 'Postfix', nginx: 'nginx/1.14.1', apache: 'Apache/2.4.37 (AlmaLinux)', vsftpd: '3.0.3', mysql: '5.5.5-10.3.39-MariaDB', redis: 5, postgresqlLine: '328' },
]; // biome-ignore format: a row a release

const REALMS = [
  'Restricted',
  'Restricted Content',
  'Restricted Area',
  'Authentication Required',
  'Administrator Login',
  'Private',
  'Members Only',
  'Login Required',
  'Admin Area',
  'Monitoring',
  'Webmail',
  'Backup',
  'Intranet',
  'Status',
  'Protected',
  'Please log in',
];
const ROLES = [
  'web',
  'srv',
  'mail',
  'app',
  'db',
  'node',
  'vps',
  'host',
  'backup',
  'dev',
  'stage',
  'files',
  'git',
  'mon',
  'gw',
  'proxy',
];

/**
 * Algorithms in OpenSSH's order; true marks those that a server may leave out. Key exchanges have at most
 * 2,048 bits and take some milliseconds: the client chooses, and a group of 8,192 bits, which ssh2 also has,
 * costs twenty times as much. Old algorithms are present because old clients call a sensor, which has nothing
 * worth protecting.
 */
const SSH_ALGORITHMS = {
  kex: { 'curve25519-sha256': false, 'curve25519-sha256@libssh.org': false, 'ecdh-sha2-nistp256': false, 'ecdh-sha2-nistp384': true, 'ecdh-sha2-nistp521': true, 'diffie-hellman-group14-sha256': false, 'diffie-hellman-group14-sha1': false, 'diffie-hellman-group1-sha1': true },
  ciphers: { 'chacha20-poly1305@openssh.com': true, 'aes128-ctr': false, 'aes192-ctr': true, 'aes256-ctr': false, 'aes128-gcm@openssh.com': true, 'aes256-gcm@openssh.com': true, 'aes128-cbc': false, 'aes192-cbc': true, 'aes256-cbc': true, '3des-cbc': true },
  macs: { 'hmac-sha2-256-etm@openssh.com': true, 'hmac-sha2-512-etm@openssh.com': true, 'hmac-sha1-etm@openssh.com': true, 'hmac-sha2-256': false, 'hmac-sha2-512': true, 'hmac-sha1': false },
} as const; // biome-ignore format: a row a list

export function makePersona(hash: (text: string) => string): Persona {
  const number = (name: string): number =>
    [...hash(`persona ${name}`)].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) >>> 0, 7);
  const pick = <One>(name: string, list: readonly One[]): One => list[number(name) % list.length]!;
  const some = (list: Readonly<Record<string, boolean>>): string[] =>
    Object.keys(list).filter((one) => !list[one] || number(one) % 2 === 0);
  const system = pick('system', SYSTEMS);
  return {
    host: `${pick('role', ROLES)}${pick('dash', ['', '-'])}${number('host') % 1000}`,
    system,
    web: pick('web', ['nginx', 'apache'] as const),
    realm: pick('realm', REALMS),
    ftp: pick('ftp', ['vsftpd', 'proftpd'] as const),
    vncRefusal: pick('vnc', ['Authentication failure', 'password check failed!']),
    mysqlThreads: 8 + (number('threads') % 5000),
    ssh: {
      ident: system.ssh,
      kex: some(SSH_ALGORITHMS.kex),
      ciphers: some(SSH_ALGORITHMS.ciphers),
      macs: some(SSH_ALGORITHMS.macs),
    },
  };
}

export interface Scene {
  readonly persona: Persona;
  readonly client: string;
  readonly at: number;
  readonly serial: number;
  /**
   * Challenges take these 20 bytes, which differ for each connection: a server that repeats a challenge is
   * known as a trap.
   */
  readonly chance: string;
}

export function sceneOf(
  persona: Persona,
  hash: (text: string) => string,
  { client, at, serial }: Pick<Scene, 'client' | 'at' | 'serial'>,
): Scene {
  const text = [0, 1].map((part) => hash(`chance ${part} ${at} ${serial}`)).join('');
  const code = (index: number): number =>
    1 + ((text.charCodeAt(2 * index) * 131 + text.charCodeAt(2 * index + 1) * 7) % 127);
  // A MySQL salt contains neither NUL nor a dollar sign.
  const chance = String.fromCharCode(...Array.from({ length: 20 }, (_, index) => code(index))).replaceAll('$', '%');
  return { persona, client, at, serial, chance };
}
