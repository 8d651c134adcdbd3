import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEvidence, verifyEvidence } from '../engine/evidence/evidence-image.ts';
import { EvidenceFollower, POLL_MS } from '../service/evidence-follower.ts';
import type { ControlContext, ControlPart } from './control-part.ts';
import { readShared } from './geo-image-part.ts';
import { compileEvidenceInWorker, openHistory } from './open-evidence.ts';

/**
 * Over PostgreSQL a changed pair costs a look-up of its own there, so from fewer of them on an image is the quicker way; and nodes that start from the last
 * published image must be able to catch up from it.
 */
const POSTGRES_LIMITS = { deltaRows: 20_000, overlayRows: 100_000 };

/** Serves the evidence store: the last compiled image at once, then what was accepted since, then new images as the overlay grows. */
export const evidencePart: ControlPart = {
  name: 'evidence',
  async start(context) {
    const { config, log, clock, publisher } = context;
    const store = await openHistory(config);
    const { sequence: known, rows: lastRows } = publishLast(context);
    let rows = lastRows;
    let told: string | undefined;
    const follower = new EvidenceFollower(
      {
        store,
        emit: (delta) => publisher.delta(delta),
        imageRows: () => rows,
        compile: async () => {
          const compiled = await compileAndPublish(context);
          rows = compiled.rows;
          return compiled.sequence;
        },
        limits: config.databaseUrl === undefined ? {} : POSTGRES_LIMITS,
        failed: (error) => {
          const reason = error instanceof Error ? error.message : String(error);
          // A store that is away fails at every poll and is told once.
          if (reason !== told) log.error({ err: error }, 'evidence cannot be followed; the last view keeps serving');
          told = reason;
        },
      },
      known,
    );
    await follower.poll(clock.now());
    if (known === 0 && follower.behind) {
      // Too much for the overlay and no image to stand on: the service stays not_ready for the first build rather than call everything unseen.
      await follower.settled();
      await follower.poll(clock.now());
    }
    publisher.degraded('evidence', follower.isLate(clock.now()));
    const poll = setInterval(async () => {
      await follower.poll(clock.now());
      if (!follower.behind) told = undefined;
      publisher.degraded('evidence', follower.isLate(clock.now()));
    }, POLL_MS);
    return {
      async stop() {
        clearInterval(poll);
        await follower.settled();
        await store.close();
      },
    };
  },
};

const imagePath = (dataDir: string): string => join(dataDir, 'images', 'evidence.img');

/** What the threads stand on after an image was published; nothing at all: zeros. */
interface Published {
  readonly sequence: number;
  /** Rows, as far as known: of an image read back its size tells, at some 24 bytes a row. */
  readonly rows: number;
}

const NOTHING: Published = { sequence: 0, rows: 0 };

/** Publishes the image of the last run, if it is whole. */
function publishLast({ config, log, publisher }: ControlContext): Published {
  const path = imagePath(config.dataDir);
  if (!existsSync(path)) return NOTHING;
  try {
    const shared = readShared(path);
    const image = openEvidence(shared);
    const faults = verifyEvidence(image);
    if (faults.length > 0) throw new Error(faults.join('; '));
    publisher.evidence(shared, image.meta.sequence);
    return { sequence: image.meta.sequence, rows: Math.floor(shared.byteLength / 24) };
  } catch (error) {
    log.warn({ err: error }, 'the last evidence image cannot be used; it is compiled anew');
    return NOTHING;
  }
}

/** One new image: compiled off this thread, written beside the old one, renamed, published. */
async function compileAndPublish({ config, log, publisher }: ControlContext): Promise<Published> {
  const { bytes, meta, rows } = await compileEvidenceInWorker(config);
  const path = imagePath(config.dataDir);
  mkdirSync(join(config.dataDir, 'images'), { recursive: true });
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, bytes, { flush: true });
  renameSync(beside, path);
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  publisher.evidence(shared, meta.sequence);
  log.info({ rows, bytes: bytes.byteLength, version: meta.dataVersion }, 'compiled evidence');
  return { sequence: meta.sequence, rows };
}
