import { openHistory } from '../../adapters/evidence/open-history.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { EDITIONS, isGeoSchema } from '../../core/export/export-record.ts';
import { type ExportPlace, exportGeo } from './export-formats.ts';
import { ExportImages } from './export-images.ts';
import { GeoFile } from './geo-file.ts';
import type { WrittenFile } from './replace-file.ts';
import { VerdictFile } from './verdict-file.ts';

export interface DatabaseRequest {
  readonly config: ExportPlace;
  readonly edition: string;
  readonly path: string;
  readonly isOperator: boolean;
}

export type DatabaseReply = WrittenFile | 'withheld';

answerCalls<DatabaseRequest, DatabaseReply>(async ({ config, edition: databaseType, path, isOperator }, { signal }) => {
  const schema = EDITIONS[databaseType]!;
  if (isGeoSchema(schema)) {
    if (!isOperator && (await exportGeo(config)).ownLayers.length > 0) return 'withheld';
    const file = new GeoFile(config, { schema, databaseType, path, families: [4, 6], hasAsNames: isOperator });
    return (await file.write(signal)).written!;
  }
  const store = await openHistory(config);
  try {
    const file = new VerdictFile(
      { images: new ExportImages(config, store), store },
      {
        format: 'mmdb',
        schema,
        databaseType,
        path,
        families: [4, 6],
        filter: { minScore: 0, states: schema === 'pulse' ? ['active', 'stale'] : ['active'] },
        includeFetchOnly: isOperator,
        name: 'pulse',
      },
    );
    return (await file.write(signal)).written!;
  } finally {
    await store.close();
  }
});
