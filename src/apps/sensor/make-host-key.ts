import ssh2 from 'ssh2';

/**
 * Makes a private SSH host key in OpenSSH's format. Some one in two hundred of the Ed25519 keys that ssh2
 * makes are unreadable to ssh2 itself, and are made again.
 */
export function makeHostKey(type: 'ed25519' | 'rsa'): string {
  for (;;) {
    const key =
      type === 'rsa'
        ? ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private
        : ssh2.utils.generateKeyPairSync('ed25519').private;
    if (isHostKey(key)) return key;
  }
}

export const isHostKey = (text: string): boolean => !(ssh2.utils.parseKey(text) instanceof Error);
