import type { Redis } from 'iovalkey';
import { unixMs } from '../../core/units.ts';
import type { StreamState } from '../../service/waiting-batch.ts';
import { openRedis } from '../database/open-redis.ts';
import { STATE } from './scripts.ts';
import { STREAM_KEYS } from './stream-keys.ts';

interface Scripted extends Redis {
  pulseIntakeState(
    keyCount: number,
    ...keys: string[]
  ): Promise<readonly [entries: number, bytes: string | null, setAside: string | null, oldest: string | null]>;
}

/** Says how much waits in the stream, over a connection of its own. */
export class StreamGauge {
  readonly #redis: Scripted;

  /** @param url redis:// or rediss:// */
  constructor(url: string) {
    this.#redis = openRedis<Scripted>(url, { name: 'pulse-intake-gauge', scripts: { pulseIntakeState: { lua: STATE } } });
  }

  /** @throws what the server or the connection throws */
  async read(): Promise<StreamState> {
    const [entries, bytes, setAside, oldest] = await this.#redis.pulseIntakeState(3, STREAM_KEYS.stream, STREAM_KEYS.bytes, STREAM_KEYS.asideCount);
    // An entry's number begins with the server's time.
    const oldestAt = oldest === null ? undefined : unixMs(Number(oldest.split('-')[0]));
    return { entries, bytes: Number(bytes ?? 0), setAside: Number(setAside ?? 0), oldestAt };
  }

  close(): void {
    this.#redis.disconnect();
  }
}
