/** Entry of the thread that fetches and verifies layers: reading one in full takes seconds, during which the control thread goes on. */
import { systemClock } from '../../adapters/system/clock.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { type LayerOutcome, updateLayers } from './update-layers.ts';

export interface LayersUpdate {
  readonly dataDir: string;
  readonly ids: readonly string[];
}

answerCalls<LayersUpdate, readonly LayerOutcome[]>(({ dataDir, ids }) =>
  updateLayers(dataDir, systemClock.now(), { ids }),
);
