import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../../core/units.ts';
import { importPhones, type RawPhoneRow } from '../../service/phone/import-phones.ts';
import type { PhoneLibraryWriter } from '../../service/phone/phone-libraries.ts';
import { readPhoneFile } from './formats/read-phone-file.ts';

/** Fills each library that was never loaded from the public list of disposable numbers we depend on. */
export async function prepareLibraries(writer: PhoneLibraryWriter, now: UnixMs): Promise<readonly PhoneLibraryName[]> {
  const filled: PhoneLibraryName[] = [];
  for (const library of PHONE_LIBRARIES) {
    if ((await writer.held(library)) !== undefined) continue;
    const path = disposableList();
    await importPhones(writer, onlyOf(library, path), {
      library,
      full: true,
      stamp: { dataVersion: newestDate(path), at: now, shipped: true },
    });
    filled.push(library);
  }
  return filled;
}

const disposableList = (): string =>
  createRequire(import.meta.url).resolve('@ip1sms/disposable-phone-numbers/number-list.json');

async function* onlyOf(library: PhoneLibraryName, path: string): AsyncGenerator<readonly (RawPhoneRow | undefined)[]> {
  const batches = readPhoneFile(path, { format: 'ip1sms', columns: new Map(), deletions: false, seenAt: '' });
  for await (const batch of batches)
    yield batch.filter((row) => (String(row?.number).startsWith('+86') ? 'cn' : 'sg') === library);
}

/** The list's newest date as a version: yyyymmdd. */
function newestDate(path: string): string {
  const dates = readFileSync(path, 'utf8').match(/\d{4}-\d\d-\d\d/g) ?? [];
  return (dates.sort().at(-1) ?? '').replaceAll('-', '');
}
