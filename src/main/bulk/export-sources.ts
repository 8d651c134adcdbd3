import { feedById, publishedSources } from '../../adapters/feeds/catalogue.ts';
import type { NoticeSource } from '../../core/export/export-notice.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import type { LiveSource } from '../../engine/evidence/evidence-delta.ts';

export interface ExportSources {
  readonly published: readonly NoticeSource[];
  readonly own: boolean;
  /** These may not be passed on, and nobody asked for them. */
  readonly leftOut: readonly NoticeSource[];
  readonly counts: (source: string) => boolean;
}

/** @param includeFetchOnly whether sources count that every deployment may fetch and nobody may copy */
export function exportSources(sources: readonly LiveSource[], includeFetchOnly: boolean): ExportSources {
  const lists = new Set(publishedSources());
  const feeds = sources
    .flatMap(({ id }) => (lists.has(id) ? [feedById(id)!] : []))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const refused = includeFetchOnly ? [] : feeds.filter(({ redistribution }) => redistribution === 'fetch-only');
  const ids = new Set(refused.map(({ id }) => id));
  return {
    published: feeds.filter(({ id }) => !ids.has(id)).map(noticeOf),
    own: sources.some(({ id }) => !lists.has(id)),
    leftOut: refused.map(noticeOf),
    counts: (source) => !ids.has(source),
  };
}

const noticeOf = ({ id, licence, attribution }: Feed): NoticeSource => ({ id, licence, attribution });

/** Any of these lists may have set a signal or a usage code. */
export const networkNotices = (lists: readonly { readonly id: string }[]): readonly NoticeSource[] =>
  lists.flatMap(({ id }) => feedById(id) ?? []).map(noticeOf);
