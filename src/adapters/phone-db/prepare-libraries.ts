import { createRequire } from 'node:module';
import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../contract/phone.ts';
import type { UnixMs } from '../../core/units.ts';
import { importPhones, type RawPhoneRow } from '../../service/phone/import-phones.ts';
import type { PhoneLibraryWriter } from '../../service/phone/phone-libraries.ts';
import { readPhoneFile } from './formats/read-phone-file.ts';

export async function prepareLibraries(writer: PhoneLibraryWriter, now: UnixMs): Promise<readonly PhoneLibraryName[]> {
  const missing: PhoneLibraryName[] = [];
  for (const library of PHONE_LIBRARIES) if ((await writer.held(library)) === undefined) missing.push(library);
  if (missing.length === 0) return missing;
  const batches = await Array.fromAsync(
    readPhoneFile(disposableList(), {
      format: 'ip1sms',
      columns: new Map(),
      deletions: false,
      seenAt: '',
      signal: new AbortController().signal,
    }),
  );
  const dataVersion = newestDate(batches);
  for (const library of missing)
    await importPhones(writer, onlyOf(library, batches), {
      library,
      full: true,
      stamp: { dataVersion, at: now, shipped: true },
    });
  return missing;
}

const disposableList = (): string =>
  createRequire(import.meta.url).resolve('@ip1sms/disposable-phone-numbers/number-list.json');

type Batch = readonly (RawPhoneRow | undefined)[];

async function* onlyOf(library: PhoneLibraryName, batches: readonly Batch[]): AsyncGenerator<Batch> {
  for (const batch of batches)
    yield batch.filter((row) => (String(row?.number).startsWith('+86') ? 'cn' : 'sg') === library);
}

function newestDate(batches: readonly Batch[]): string {
  let newest = '';
  for (const batch of batches)
    for (const row of batch) {
      const date = String(row?.last_active);
      if (/^\d{4}-\d\d-\d\d/.test(date) && date > newest) newest = date;
    }
  return newest.slice(0, 10).replaceAll('-', '');
}
