/** Entry of the process that decodes one Parquet file to standard output. Started by open-parquet.ts with the file and the form of its lines. */
import { pipeline } from 'node:stream/promises';
import { parquetLines } from './parquet-lines.ts';

const [path, form] = process.argv.slice(2);
try {
  await pipeline(parquetLines(path!, form === 'csv' ? 'csv' : 'ndjson'), process.stdout);
} catch (error) {
  process.stderr.write((error as Error).message);
  process.exitCode = 1;
}
