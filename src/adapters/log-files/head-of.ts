/** Takes chunks until they hold this many bytes or end, and returns a copy of them. */
export async function headOf(chunks: AsyncIterator<Uint8Array>, bytes: number): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < bytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}
