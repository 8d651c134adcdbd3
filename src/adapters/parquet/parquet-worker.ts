/** Entry of the thread that decodes one Parquet file. Started by parquet-file.ts. */
import { answerCalls } from '../system/worker-calls.ts';
import { ParquetDecoder } from './parquet-decoder.ts';
import type { ParquetCall, ParquetReply } from './parquet-file.ts';

let decoder: ParquetDecoder | undefined;

answerCalls<ParquetCall, ParquetReply>(async (call) => {
  if (call.do === 'read') return { values: await decoder!.read(call.names, call.range) };
  decoder = await ParquetDecoder.open(call.path);
  return { metadata: decoder.metadata, columns: decoder.columns, size: decoder.size };
});
