import type { Logger } from '../../adapters/system/create-logger.ts';
import { type Sensor, type SensorOptions, startSensor } from '../../apps/sensor/start-sensor.ts';
import { printCaptures } from '../../core/collection/print-captures.ts';
import { type ReportOptions, reportCaptures } from './report-captures.ts';
import type { SensorSecrets } from './sensor-secrets.ts';

export interface RunSensorOptions {
  readonly listening: Pick<SensorOptions, 'ports' | 'host' | 'skipTaken' | 'proxies' | 'ignored' | 'intervalMs'>;
  readonly secrets: SensorSecrets;
  readonly now: () => number;
  readonly log: Logger;
  readonly report: ReportOptions | undefined;
  readonly print: (rows: string) => void;
}

export async function runSensor({ listening, secrets, now, log, report, print }: RunSensorOptions): Promise<Sensor> {
  const sensorOf = (handOn: SensorOptions['handOn']): Promise<Sensor> =>
    startSensor({ ...listening, ...secrets, now, log, handOn });
  if (report === undefined) return await sensorOf((rows) => Promise.resolve(print(printCaptures(rows))));
  const reporting = await reportCaptures(report, log);
  const sensor = await sensorOf((rows) => reporting.put(rows));
  return {
    ...sensor,
    async stop() {
      await sensor.stop();
      await reporting.stop();
    },
  };
}
