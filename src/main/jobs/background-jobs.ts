import type { ServeOptions } from '../serve-options.ts';
import type { BackgroundJob } from './background-job.ts';

/**
 * The code of a job is loaded just before the job starts, so that code which the first lookup does not need
 * does not delay it.
 */
export type LoadJob = () => Promise<BackgroundJob>;

const evidence = async () => (await import('./evidence-job.ts')).evidenceJob;
const compact = async () => (await import('./compact-job.ts')).compactJob;
const geoImage = async () => (await import('../place-data/geo-image-job.ts')).geoImageJob;
const layerUpdates = async () => (await import('../place-data/layer-updates-job.ts')).layerUpdatesJob;
const networkLists = async () => (await import('../place-data/network-lists-job.ts')).networkListsJob;
const phone = async () => (await import('./phone-jobs.ts')).phoneJob;
const phoneFeeds = async () => (await import('./phone-jobs.ts')).phoneFeedsJob;
const recordChanges = async () => (await import('./record-changes-job.ts')).recordChangesJob;
const snapshotFollow = async () => (await import('./snapshot-follow-job.ts')).snapshotFollowJob;
const ingest = async () => (await import('./ingest-job.ts')).ingestJob;
const feedNotes = async () => (await import('./feed-notes-job.ts')).feedNotesJob;
const databaseWatch = async () => (await import('./database-watch-job.ts')).databaseWatchJob;
const clockWatch = async () => (await import('./clock-watch-job.ts')).clockWatchJob;
const demonstration = async () => (await import('./demo-job.ts')).demoJob;

/**
 * Work of the control thread besides the HTTP threads, in order of start; it stops in reverse. Changes of
 * records come first, so that a revoked key is refused in time even while the first image is compiled.
 * Evidence comes before place and network: lookups are answered as soon as the latter exist, and an address
 * with evidence must never be reported as unseen.
 */
export function backgroundJobs({ demo, role }: ServeOptions): readonly LoadJob[] {
  if (role === 'api')
    return [databaseWatch, recordChanges, snapshotFollow, networkLists, phone, phoneFeeds, feedNotes, clockWatch];
  if (role === 'ingest')
    return [databaseWatch, evidence, compact, geoImage, layerUpdates, networkLists, ingest, clockWatch];
  const sources = demo === true ? [demonstration] : [layerUpdates, phoneFeeds, ingest];
  return [
    databaseWatch,
    recordChanges,
    evidence,
    compact,
    geoImage,
    networkLists,
    phone,
    feedNotes,
    ...sources,
    clockWatch,
  ];
}
