import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEvidence, verifyEvidence } from '../engine/evidence/evidence-image.ts';
import { EvidenceFollower, POLL_MS } from '../service/evidence-follower.ts';
import type { ControlContext, ControlPart } from './control-part.ts';
import { readShared } from './geo-image-part.ts';
import { compileEvidenceInWorker, openHistory } from './open-evidence.ts';

/** Serves the evidence store: the last compiled image at once, then what was accepted since, then new images as the overlay grows. */
export const evidencePart: ControlPart = {
  name: 'evidence',
  async start(context) {
    const { config, log, clock, publisher } = context;
    const store = openHistory(config);
    const known = publishLast(context);
    const follower = new EvidenceFollower(
      {
        store,
        emit: (delta) => publisher.delta(delta),
        compile: () => compileAndPublish(context),
        failed: (error) => log.error({ err: error }, 'evidence cannot be followed; the last view keeps serving'),
      },
      known,
    );
    await follower.poll(clock.now());
    if (known === 0 && follower.behind) {
      // Too much for the overlay and no image to stand on: the service stays not_ready for the first build rather than call everything unseen.
      await follower.settled();
      await follower.poll(clock.now());
    }
    publisher.degraded('evidence', follower.behind);
    const poll = setInterval(async () => {
      await follower.poll(clock.now());
      publisher.degraded('evidence', follower.behind);
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

/** Publishes the image of the last run, if it is whole. @returns the sequence the threads now stand at */
function publishLast({ config, log, publisher }: ControlContext): number {
  const path = imagePath(config.dataDir);
  if (!existsSync(path)) return 0;
  try {
    const shared = readShared(path);
    const image = openEvidence(shared);
    const faults = verifyEvidence(image);
    if (faults.length > 0) throw new Error(faults.join('; '));
    publisher.evidence(shared, image.meta.sequence);
    return image.meta.sequence;
  } catch (error) {
    log.warn({ err: error }, 'the last evidence image cannot be used; it is compiled anew');
    return 0;
  }
}

/** One new image: compiled off this thread, written beside the old one, renamed, published. */
async function compileAndPublish({ config, log, publisher }: ControlContext): Promise<number> {
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
  return meta.sequence;
}
