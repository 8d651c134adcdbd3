import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FileSpool, spoolFolder } from '../../adapters/spool/file-spool.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { type Sensor, type SensorOptions, startSensor } from '../../apps/sensor/start-sensor.ts';
import { printCaptures } from '../../core/collection/print-captures.ts';
import type { CaptureReceiver } from '../../service/capture-receiver.ts';
import { sendCaptures } from '../../service/send-captures.ts';
import type { SensorSecrets } from './sensor-secrets.ts';

const pack = promisify(gzip);
/** How long a stopping sensor goes on sending; what is left then waits in the spool for the next start. */
const LAST_DELIVERY_MS = 5000;

export interface RunSensorOptions {
  readonly listening: Pick<SensorOptions, 'ports' | 'host' | 'skipTaken' | 'proxies' | 'ignored' | 'intervalMs'>;
  readonly secrets: SensorSecrets;
  readonly now: () => number;
  readonly log: Logger;
  /** Where captures go; undefined: `print` shows them. */
  readonly report: { readonly folder: string; readonly bytesMax: number; readonly receiver: CaptureReceiver } | undefined;
  readonly print: (rows: string) => void;
}

/** A sensor with its spool and its receiver. @returns what runs, to be stopped */
export async function runSensor({ listening, secrets, now, log, report, print }: RunSensorOptions): Promise<Sensor> {
  const sensorOf = (handOn: SensorOptions['handOn']): Promise<Sensor> => startSensor({ ...listening, ...secrets, now, log, handOn });
  if (report === undefined) return await sensorOf((rows) => Promise.resolve(print(printCaptures(rows))));
  const put = new PutSignal();
  const spool = await FileSpool.open(spoolFolder(report.folder), report.bytesMax, () => put.give());
  let dropped = 0;
  const sensor = await sensorOf(async (rows) => {
    await spool.put(await pack(printCaptures(rows)));
    if (spool.state.dropped > dropped) log.warn({ dropped: spool.state.dropped }, 'the spool is full, and its oldest batches are dropped');
    dropped = spool.state.dropped;
  });
  const stopping = new AbortController();
  const sending = sendCaptures({
    spool,
    receiver: report.receiver,
    signal: stopping.signal,
    pause: (ms, untilPut) => put.pause(ms, untilPut, stopping.signal),
    random: Math.random,
    log,
  });
  return {
    ...sensor,
    async stop() {
      await sensor.stop();
      await Promise.race([emptied(spool, stopping.signal), wait(LAST_DELIVERY_MS)]);
      stopping.abort();
      // A service that does not answer holds no stop: its batch is still in the spool.
      await Promise.race([sending, wait(LAST_DELIVERY_MS)]);
      await report.receiver.close();
    },
  };
}

/** Resolves when nothing waits. */
async function emptied(spool: FileSpool, signal: AbortSignal): Promise<void> {
  while (spool.state.batches > 0 && !signal.aborted) await wait(50);
}

/** Lets a pause end early, also where the signal came just before it. */
class PutSignal {
  #given = false;
  #wake: () => void = () => undefined;

  give(): void {
    this.#given = true;
    this.#wake();
  }

  async pause(ms: number, untilPut: boolean, signal: AbortSignal): Promise<void> {
    const given = this.#given;
    this.#given = false;
    if (untilPut && given) return;
    const early = new AbortController();
    this.#wake = () => untilPut && early.abort();
    await wait(ms, undefined, { signal: AbortSignal.any([early.signal, signal]) }).catch(() => undefined);
  }
}
