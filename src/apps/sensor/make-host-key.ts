import ssh2 from 'ssh2';

/** A new private host key of SSH in OpenSSH's form. Of the Ed25519 keys that ssh2 makes it cannot read one in two hundred itself: another is made then. */
export function makeHostKey(type: 'ed25519' | 'rsa'): string {
  for (;;) {
    const key =
      type === 'rsa'
        ? ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private
        : ssh2.utils.generateKeyPairSync('ed25519').private;
    if (isHostKey(key)) return key;
  }
}

/** Whether an SSH server can be started with it. */
export const isHostKey = (text: string): boolean => !(ssh2.utils.parseKey(text) instanceof Error);
