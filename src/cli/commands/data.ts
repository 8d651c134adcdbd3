import { type Command, InvalidArgumentError } from 'commander';
import { LAYER_PUBLISHERS } from '../../adapters/layers/layer-publishers.ts';
import { LayerUpdates } from '../../adapters/layers/layer-updates.ts';
import { loadConfig } from '../../config.ts';
import { padded } from '../../core/report/verdict-lines.ts';
import { type Said, worded } from '../../core/texts/said.ts';
import { usedData } from '../../main/place-data/find-inputs.ts';
import { prepareGeoImage } from '../../main/place-data/prepare-geo-image.ts';
import { type LayerOutcome, updateLayers } from '../../main/place-data/update-layers.ts';
import { verifyData } from '../../main/place-data/verify-data.ts';
import { say, sourceText } from '../language/say.ts';
import { networkText, slugName } from '../language/slug-name.ts';
import { type AsJson, printJson, printLines, printNote } from '../terminal/print.ts';
import type { BackupFlags } from './backup.ts';

const asJson = (value: unknown): void => printJson(value, 2);
const noteFault = (fault: Said): void => printNote(say('not used: {fault}', { fault }));
const noteStep = (step: Said): void => printNote(say(step));

export function register(program: Command): void {
  const data = program
    .command('data')
    .description('geolocation and network data: what is used, build it, check it; all data: export, import');
  data
    .command('list')
    .description('layers in their order of trust with the dates of their content, and lists of networks')
    .option('--json', 'print JSON')
    .action(listData);
  data
    .command('build')
    .description('compile layers and lists into the image that lookups read; does nothing when nothing changed')
    .option('--force', 'build again in any case')
    .option('--json', 'print JSON')
    .action(buildData);
  data
    .command('update')
    .description(
      'fetch shipped layers from their publishers again and build; what cannot be used is refused with its reason, and the content in use stays',
    )
    .argument('[layer...]', 'ids of shipped layers (dbip, ip2region, asn); left out, all of them', updatable)
    .option('--json', 'print JSON')
    .action(updateData);
  data
    .command('verify')
    .description('check the current image in full, and print what it holds')
    .option('--json', 'print JSON')
    .action(verifyImage);
  data
    .command('export')
    .description('the whole installation with its tables as text, which either store can take: SQLite or PostgreSQL')
    .argument('<dir>', 'a new folder')
    .option('--no-secret', 'leave out the secret; a restore then needs it by itself')
    .option('--json', 'print JSON')
    .action(exportAll);
  data
    .command('import')
    .description(
      'verify an export and take it into an empty data folder; with PULSE_DATABASE_URL, into an empty database',
    )
    .argument('<dir>', 'folder of the export, or of a backup of PostgreSQL')
    .option('--json', 'print JSON')
    .action(async (dir: string, options: AsJson) =>
      (await import('./restore.ts')).restore(dir, { ...options, intoAnyStore: true }),
    );
}

async function exportAll(dir: string, options: BackupFlags): Promise<void> {
  const { isServed } = await import('../../adapters/backup/restore-backup.ts');
  const { backUp } = await import('./backup.ts');
  if (await isServed(loadConfig().dataDir))
    printNote(say('a service uses this data folder: what it takes from now on is not in the export'));
  await backUp(dir, { ...options, asTables: true });
}

async function listData(options: AsJson): Promise<void> {
  const { dataDir } = loadConfig();
  const { layers, lists, faults, leftOut, dataVersion, useOf } = await usedData(dataDir);
  const updates = new LayerUpdates(dataDir);
  const rows = layers.map((layer) => {
    const { id, kind, role, version, licence, files, shipped } = layer;
    const { checked_at, refused } = shipped ? updates.read(id) : {};
    const use = useOf(layer);
    return {
      id,
      kind: kind ?? 'by content',
      role: role ?? 'by content',
      version,
      licence: licence ?? '',
      files,
      state: use?.state ?? 'not_built',
      why: use?.why && worded(use.why),
      left_out: {
        rows: use?.leftOutRows ?? 0,
        foreign: use?.leftOutForeign ?? 0,
        countries: use?.leftOutCountries ?? {},
      },
      checked_at,
      refused,
    };
  });
  const networks = lists.map(({ id, version, effect, prefixes, asns }) => ({
    id,
    version,
    effect,
    prefixes: prefixes?.length ?? 0,
    asns: asns?.length ?? 0,
  }));
  if (options.json)
    return asJson({
      data_version: dataVersion,
      layers: rows.map(jsonOfRow),
      lists: networks,
      faults: english(faults),
    });
  printLines([say('data version {version}', { version: dataVersion }), '', say('layers, most trusted first')]);
  for (const row of rows) {
    const checked =
      row.checked_at === undefined ? '' : say('  publisher asked {day}', { day: row.checked_at.slice(0, 10) });
    printLines([
      `  ${row.id.padEnd(16)} ${padded(slugName(row.kind), 10)} ${padded(slugName(row.role), 10)} ${row.version}  ${sourceText(row.licence)}${checked}`,
    ]);
    if (row.refused) printLines([say('    its update was refused: {why}', { why: row.refused })]);
    if (row.state !== 'used' && row.state !== 'not_built') printLines([`    ${slugName(row.state)}`]);
  }
  printLines(['', say('lists of networks')]);
  for (const row of networks) {
    const counts = { prefixes: String(row.prefixes).padStart(7), asns: String(row.asns).padStart(5) };
    printLines([
      `  ${row.id.padEnd(24)} ${say('{prefixes:prefix|prefixes} {asns:ASN|ASNs}', counts)}  ${networkText(row.effect)}`,
    ]);
  }
  faults.forEach(noteFault);
  leftOut.forEach(noteStep);
}

async function buildData(options: { force?: boolean; json?: boolean }): Promise<void> {
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  const onProgress = (step: Said): void => printNote(`${seconds().padStart(5)} s  ${say(step)}`);
  const result = await prepareGeoImage(loadConfig(), Date.now(), {
    onProgress,
    ...(options.force && { force: true }),
  });
  result.faults.forEach(noteFault);
  result.leftOut.forEach(noteStep);
  if (result.faults.length > 0) process.exitCode = 1;
  if (options.json)
    return asJson({
      path: result.path,
      data_version: result.dataVersion,
      rebuilt: result.rebuilt,
      faults: english(result.faults),
      left_out: english(result.leftOut),
    });
  printLines([
    `${result.rebuilt ? say('built in {seconds} s', { seconds: seconds() }) : say('nothing changed')}${say(': ')}${result.path}`,
    result.dataVersion,
  ]);
}

async function updateData(ids: readonly string[], options: AsJson): Promise<void> {
  const { dataDir } = loadConfig();
  const outcomes = await updateLayers(dataDir, Date.now(), { onStep: noteStep, ...(ids.length > 0 && { ids }) });
  const built = outcomes.some(({ status }) => status === 'updated')
    ? await prepareGeoImage({ dataDir }, Date.now(), { onProgress: noteStep })
    : undefined;
  built?.faults.forEach(noteFault);
  if (options.json) asJson({ layers: outcomes.map(jsonOfOutcome), data_version: built?.dataVersion });
  else printLines(outcomes.map(textOfOutcome));
  if (outcomes.some(({ status }) => status === 'refused') || (built?.faults.length ?? 0) > 0) process.exitCode = 1;
}

async function verifyImage(options: AsJson): Promise<void> {
  const report = await verifyData(loadConfig().dataDir);
  if (options.json) asJson(report);
  else {
    printLines([report.path, report.data_version]);
    printLines(Object.entries(report.counts).map(([name, count]) => `  ${padded(slugName(name), 18)} ${count}`));
    printLines(report.faults.map((fault) => say('  fault: {fault}', { fault })));
    if (report.faults.length === 0) printLines([say('sound')]);
  }
  if (report.faults.length > 0) process.exitCode = 1;
}

function updatable(text: string, held: readonly string[] = []): readonly string[] {
  const known = LAYER_PUBLISHERS.map(({ id }) => id);
  if (!known.includes(text))
    throw new InvalidArgumentError(say('expected one of {values}', { values: known.join(', ') }));
  return [...held, text];
}

const english = (sentences: readonly Said[]): readonly string[] => sentences.map((one) => worded(one));

const jsonOfOutcome = ({ reason, ...outcome }: LayerOutcome) => ({
  ...outcome,
  reason: reason && worded(reason),
});

const jsonOfRow = <Row extends { readonly refused: Said | undefined }>({ refused, ...row }: Row) => ({
  ...row,
  refused: refused && worded(refused),
});

function textOfOutcome({ id, status, version, before, reason }: LayerOutcome): string {
  const dates =
    status === 'updated'
      ? say('{version}, was {before}', { version, before })
      : status === 'refused'
        ? say('{version} stays: {why}', { version, why: reason ?? '' })
        : version;
  return `${id.padEnd(12)} ${padded(slugName(status), 10)} ${dates}`;
}
