import { binaryFault, binaryKind, MAGIC_BYTES } from '../../core/logs/plain-text.ts';
import type { Said } from '../../core/texts/said.ts';
import { headOf } from './head-of.ts';

/** Passes the content of a file on. @throws Fault that names the kind of a file without lines of text */
export async function* refuseBinary(
  file: string | Said,
  content: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    const head = await headOf(content, MAGIC_BYTES);
    const kind = binaryKind(head);
    if (kind !== undefined) throw binaryFault(kind, file);
    yield head;
    yield* content;
  } finally {
    await content.return(undefined);
  }
}
