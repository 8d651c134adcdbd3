import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Config } from '../../config.ts';
import { parseSegments, type SegmentTable } from '../../core/phone/segments.ts';
import type { PhoneData } from '../../service/phone/lookup-phone.ts';
import type { PhoneLibraryWriter } from '../../service/phone/phone-libraries.ts';
import type { DeploymentSecret } from '../data-folder/deployment-secret.ts';
import { DatabaseLibraryWriter } from './database-library-writer.ts';
import { DatabasePhoneLibraries } from './database-phone-libraries.ts';
import { numberKey } from './number-key.ts';
import { PostgresPhoneDatabase } from './postgres-phone-database.ts';
import { SqlitePhoneDatabase } from './sqlite-phone-database.ts';

type PhoneConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'phone'>;

/** A separate file, so that a full load of many millions does not touch `pulse.db`. */
const pathOf = ({ dataDir }: PhoneConfig): string => join(dataDir, 'phone.db');

export function openPhoneReader(config: PhoneConfig, secret: DeploymentSecret): PhoneData | undefined {
  if (!config.phone) return undefined;
  const database =
    config.databaseUrl === undefined
      ? new SqlitePhoneDatabase(pathOf(config), { readOnly: true })
      : new PostgresPhoneDatabase(config.databaseUrl);
  const key = numberKey(secret.subkey('phone-number'));
  return { libraries: new DatabasePhoneLibraries(database, key), segments: loadSegments() };
}

export function openPhoneWriter(config: PhoneConfig, secret: DeploymentSecret): PhoneLibraryWriter {
  const database =
    config.databaseUrl === undefined
      ? new SqlitePhoneDatabase(pathOf(config))
      : new PostgresPhoneDatabase(config.databaseUrl, { writes: true });
  return new DatabaseLibraryWriter(database, numberKey(secret.subkey('phone-number')));
}

/**
 * Loads our mainland segment table (data/phone-segments.bin, made by scripts/tables/phone-segments.ts) in
 * about 10 ms and 1.4 MB.
 */
export const loadSegments = (path = join(import.meta.dirname, '../../../data/phone-segments.bin')): SegmentTable =>
  parseSegments(gunzipSync(readFileSync(path)));
