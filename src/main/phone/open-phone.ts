import { join } from 'node:path';
import { FileLibraryWriter } from '../../adapters/phone-db/files/file-library-writer.ts';
import { LibraryWatch } from '../../adapters/phone-db/files/library-watch.ts';
import { type SharedLibraries, SharedPhoneLibraries } from '../../adapters/phone-db/files/shared-phone-libraries.ts';
import { loadSegments } from '../../adapters/phone-db/load-segments.ts';
import { numberKey } from '../../adapters/phone-db/number-key.ts';
import { openPostgresLibraryWriter } from '../../adapters/phone-db/postgres/open-library-writer.ts';
import { openPostgresPhoneLibraries } from '../../adapters/phone-db/postgres/open-phone-libraries.ts';
import { prepareLibraries } from '../../adapters/phone-db/prepare-libraries.ts';
import type { Config } from '../../config.ts';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../../core/units.ts';
import type { PhoneData } from '../../service/phone/lookup-phone.ts';
import type { PhoneLibraryWriter } from '../../service/phone/phone-libraries.ts';
import type { DeploymentSecret } from '../data-folder/deployment-secret.ts';

type PhoneConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'phone'>;

const libraryFolder = ({ dataDir }: PhoneConfig): string => join(dataDir, 'phone');

/** The control thread's side: keeps the file libraries in shared memory. With PostgreSQL there is nothing to share and `shared` stays undefined. */
export interface PhoneHost {
  /** Fills libraries that were never loaded; names the ones it filled. Call once at start, before the first `poll`. */
  prepare(now: UnixMs): Promise<readonly PhoneLibraryName[]>;
  /** Looks for what other processes wrote (call every 500 ms, one call after another). True: send `shared()` to the threads that answer. */
  poll(): Promise<boolean>;
  shared(): SharedLibraries | undefined;
}

/** undefined: the capability is switched off. */
export function openPhoneHost(config: PhoneConfig, secret: DeploymentSecret): PhoneHost | undefined {
  if (!config.phone) return undefined;
  const prepare = async (now: UnixMs): Promise<readonly PhoneLibraryName[]> => {
    const writer = openPhoneWriter(config, secret);
    try {
      return await prepareLibraries(writer, now);
    } finally {
      await writer.close();
    }
  };
  if (config.databaseUrl !== undefined) return { prepare, poll: async () => false, shared: () => undefined };
  const watch = new LibraryWatch(libraryFolder(config), numberKey(secret.subkey('phone-number')));
  return { prepare, poll: () => watch.poll(), shared: () => watch.shared() };
}

/** The side of the app thread. */
export interface PhoneReader extends PhoneData {
  /** Takes what the control thread sent. */
  use(shared: SharedLibraries): void;
  close(): Promise<void>;
}

/** undefined: the capability is switched off (503 phone_disabled). Until the first `use` the file libraries answer not_ready. */
export function openPhoneReader(config: PhoneConfig, secret: DeploymentSecret): PhoneReader | undefined {
  if (!config.phone) return undefined;
  const key = numberKey(secret.subkey('phone-number'));
  const segments = loadSegments();
  if (config.databaseUrl !== undefined) {
    const libraries = openPostgresPhoneLibraries(config.databaseUrl, key);
    return { libraries, segments, use: () => {}, close: async () => libraries.close() };
  }
  const libraries = new SharedPhoneLibraries(key);
  return { libraries, segments, use: (shared) => libraries.use(shared), close: async () => {} };
}

/** The write side, for the command line and for `prepare`. */
export function openPhoneWriter(config: PhoneConfig, secret: DeploymentSecret): PhoneLibraryWriter {
  const key = numberKey(secret.subkey('phone-number'));
  return config.databaseUrl === undefined
    ? new FileLibraryWriter(libraryFolder(config), key)
    : openPostgresLibraryWriter(config.databaseUrl, key);
}
