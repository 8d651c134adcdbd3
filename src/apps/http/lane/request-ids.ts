/**
 * An id is a prefix that no other thread or run has, and a counter. It is sortable within a thread and
 * reveals nothing about the caller.
 */
export function requestIds(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}${(++count).toString(36).padStart(6, '0')}`;
}
