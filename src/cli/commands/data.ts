import { type Command, InvalidArgumentError } from 'commander';
import { type AcceptedLoss, acceptLoss } from '../../adapters/data-folder/accept-loss.ts';
import { LAYER_PUBLISHERS } from '../../adapters/layers/layer-publishers.ts';
import { LayerUpdates } from '../../adapters/layers/layer-updates.ts';
import { loadConfig } from '../../config.ts';
import { FOLDER_PARTS } from '../../core/data-folder/folder-record.ts';
import { findInputs, prepareGeoImage } from '../../main/place-data/prepare-geo-image.ts';
import { type LayerOutcome, updateLayers } from '../../main/place-data/update-layers.ts';
import { verifyData } from '../../main/place-data/verify-data.ts';
import { printJson, printLines, printNote } from '../print.ts';
import { say } from '../say.ts';

const asJson = (value: unknown): void => printJson(value, 2);
const noteFault = (fault: string): void => printNote(say('not used: {fault}', { fault }));

export function register(program: Command): void {
  const data = program.command('data').description('geolocation and network data: what is used, build it, check it');
  data
    .command('list')
    .description('layers in their order of trust with the dates of their content, and lists of networks')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      const { dataDir } = loadConfig();
      const { layers, lists, faults, dataVersion } = findInputs(dataDir);
      const updates = new LayerUpdates(dataDir);
      const rows = layers.map(({ id, kind, role, version, licence, files, shipped }) => {
        const { checked_at, refused } = shipped ? updates.read(id) : {};
        const described = {
          id,
          kind: kind ?? 'by content',
          role: role ?? 'by content',
          version,
          licence: licence ?? '',
          files,
        };
        return {
          ...described,
          ...(checked_at !== undefined && { checked_at }),
          ...(refused !== undefined && { refused }),
        };
      });
      const networks = lists.map(({ id, version, effect, prefixes, asns }) => ({
        id,
        version,
        effect,
        prefixes: prefixes?.length ?? 0,
        asns: asns?.length ?? 0,
      }));
      if (options.json) return asJson({ data_version: dataVersion, layers: rows, lists: networks, faults });
      printLines([`data version ${dataVersion}`, '', 'layers, most trusted first']);
      for (const row of rows) {
        const checked = row.checked_at === undefined ? '' : `  publisher asked ${row.checked_at.slice(0, 10)}`;
        printLines([
          `  ${row.id.padEnd(16)} ${row.kind.padEnd(10)} ${row.role.padEnd(10)} ${row.version}  ${row.licence}${checked}`,
        ]);
        if (row.refused !== undefined) printLines([`    its update was refused: ${row.refused}`]);
      }
      printLines(['', 'lists of networks']);
      for (const row of networks)
        printLines([
          `  ${row.id.padEnd(24)} ${String(row.prefixes).padStart(7)} prefixes ${String(row.asns).padStart(5)} ASNs  ${JSON.stringify(row.effect)}`,
        ]);
      faults.forEach(noteFault);
    });
  data
    .command('build')
    .description('compile layers and lists into the image that look-ups read; does nothing when nothing changed')
    .option('--force', 'build again in any case')
    .option('--json', 'print JSON')
    .action(async (options: { force?: boolean; json?: boolean }) => {
      const started = performance.now();
      const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
      const onProgress = (step: string): void => printNote(`${seconds().padStart(5)} s  ${step}`);
      const result = await prepareGeoImage(loadConfig(), Date.now(), {
        onProgress,
        ...(options.force && { force: true }),
      });
      result.faults.forEach(noteFault);
      if (options.json)
        return asJson({
          path: result.path,
          data_version: result.dataVersion,
          rebuilt: result.rebuilt,
          faults: result.faults,
        });
      printLines([
        `${result.rebuilt ? `built in ${seconds()} s` : 'nothing changed'}: ${result.path}`,
        result.dataVersion,
      ]);
    });
  data
    .command('update')
    .description(
      'fetch shipped layers from their publishers again and build; what cannot be used is refused with its reason, and the content in use stays',
    )
    .argument('[layer...]', 'ids of shipped layers (dbip, ip2region, asn); left out, all of them', updatable)
    .option('--json', 'print JSON')
    .action(async (ids: readonly string[], options: { json?: boolean }) => {
      const { dataDir } = loadConfig();
      const outcomes = await updateLayers(dataDir, Date.now(), { onStep: printNote, ...(ids.length > 0 && { ids }) });
      const built = outcomes.some(({ status }) => status === 'updated')
        ? await prepareGeoImage({ dataDir }, Date.now(), { onProgress: printNote })
        : undefined;
      built?.faults.forEach(noteFault);
      if (options.json) asJson({ layers: outcomes, ...(built && { data_version: built.dataVersion }) });
      else printLines(outcomes.map(textOfOutcome));
      if (outcomes.some(({ status }) => status === 'refused')) process.exitCode = 1;
    });
  data
    .command('verify')
    .description('check the current image in full, and print what it holds')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const report = await verifyData(loadConfig().dataDir);
      if (options.json) asJson(report);
      else {
        printLines([report.path, report.data_version]);
        printLines(Object.entries(report.counts).map(([name, count]) => `  ${name.padEnd(18)} ${count}`));
        printLines(report.faults.map((fault) => `  fault: ${fault}`));
        if (report.faults.length === 0) printLines(['sound']);
      }
      if (report.faults.length > 0) process.exitCode = 1;
    });
  data
    .command('accept-loss')
    .description(
      'go on without parts of the data folder that a start found missing or damaged; damaged files get another name, nothing is deleted',
    )
    .argument('<part...>', `what to go on without: ${LOSABLE.join(', ')}`, losable)
    .option('--json', 'print JSON')
    .action(async (parts: readonly Losable[], options: { json?: boolean }) => {
      const accepted = await acceptLoss(loadConfig(), parts, new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''));
      if (options.json) return asJson({ accepted });
      printLines(accepted.flatMap(linesOfLoss));
    });
}

const LOSABLE = [...FOLDER_PARTS, 'identity'] as const;
type Losable = (typeof LOSABLE)[number];

function losable(text: string, held: readonly Losable[] = []): readonly Losable[] {
  const part = LOSABLE.find((one) => one === text);
  if (part === undefined)
    throw new InvalidArgumentError(say('expected one of {values}', { values: LOSABLE.join(', ') }));
  return [...held, part];
}

function updatable(text: string, held: readonly string[] = []): readonly string[] {
  const known = LAYER_PUBLISHERS.map(({ id }) => id);
  if (!known.includes(text))
    throw new InvalidArgumentError(say('expected one of {values}', { values: known.join(', ') }));
  return [...held, text];
}

function textOfOutcome({ id, status, version, before, reason }: LayerOutcome): string {
  const dates =
    status === 'updated' ? `${version}, was ${before}` : status === 'refused' ? `${version} stays: ${reason}` : version;
  return `${id.padEnd(12)} ${status.padEnd(10)} ${dates}`;
}

const linesOfLoss = ({ part, file, kind, moved }: AcceptedLoss): readonly string[] => [
  `${part}: ${file} (${kind}) is accepted as it is`,
  ...moved.map(({ from, to }) => `  ${from} is kept as ${to}`),
];
