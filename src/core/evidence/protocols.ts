/** Sensors name the protocol that a client spoke; `tcp` and `udp` stand for any other. */
export const PROTOCOLS = [
  'ssh',
  'telnet',
  'http',
  'smtp',
  'ftp',
  'redis',
  'mysql',
  'postgresql',
  'rdp',
  'vnc',
  'smb',
  'tcp',
  'udp',
] as const;
export type Protocol = (typeof PROTOCOLS)[number];
