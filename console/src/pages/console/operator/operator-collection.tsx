import { Stack, Table, Text, Title } from '@mantine/core';
import type { ConsoleCollection } from '../../../../../src/contract/console.ts';
import { useLoad } from '../../../api/use-load.ts';
import { BarList } from '../../../components/bar-list.tsx';
import { Card } from '../../../components/card.tsx';
import { Chart } from '../../../components/chart.tsx';
import { CountryCounts } from '../../../components/country-counts.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { countryName, formatInstant, formatNumber, formatRelative } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import classes from '../console.module.css';
import { OperatorBeacons } from './operator-beacons.tsx';

const RELOAD_EVERY_MS = 10_000;

/** The operator's own collection: captures by hour, sensors, beacons, ports, countries, and the newest captures. */
export function OperatorCollection() {
  const c = useConsole();
  const { tag } = useLocale();
  const { data, problem, reload } = useLoad<ConsoleCollection>('/operator/collection', RELOAD_EVERY_MS);
  const { collection } = c.operator;
  if (data === undefined) return <ProblemAlert problem={problem} />;
  const hasHours = data.hours.some(({ captures, connections }) => captures + connections > 0);
  return (
    <Stack gap="lg">
      <ProblemAlert problem={problem} />
      {hasHours && (
        <Card title={collection.byHour}>
          <Chart
            label={collection.byHour}
            series={(['connections', 'captures'] as const).map((what, i) => ({
              name: collection.series[what],
              colour: i === 0 ? 'gray.6' : 'pulse.6',
              points: data.hours.map((hour) => [Date.parse(hour.at), hour[what]]),
            }))}
            tick={(at) =>
              new Intl.DateTimeFormat(tag, { weekday: 'short', hour: '2-digit', minute: '2-digit' }).format(at)
            }
          />
        </Card>
      )}
      <Sensors sensors={data.sensors} />
      <OperatorBeacons beacons={data.beacons} countries={data.exit_countries} onChanged={reload} />
      {data.countries.length > 0 && <Countries countries={data.countries} />}
      {data.ports.length > 0 && <Ports ports={data.ports} />}
      {data.newest.length > 0 && <Newest captures={data.newest} />}
      {!hasHours && data.newest.length === 0 && (
        <Text size="sm" c="dimmed">
          {collection.unfilled}
        </Text>
      )}
    </Stack>
  );
}

function Sensors({ sensors }: { readonly sensors: ConsoleCollection['sensors'] }) {
  const { collection } = useConsole().operator;
  const { tag } = useLocale();
  const { columns } = collection.sensors;
  const now = new Date();
  const { rows, ordered } = useTable(sensors, [
    { name: columns.source, value: ({ source }) => source },
    { name: columns.seen, value: (sensor) => sensor.seen_at },
    { name: columns.clock, value: (sensor) => sensor.clock_offset_ms },
    { name: columns.captured, value: (sensor) => sensor.captured_at },
    { name: columns.day, value: ({ day }) => day },
    { name: columns.accepted, value: ({ accepted }) => accepted },
    { name: columns.refused, value: ({ refused }) => refused },
  ]);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {collection.sensors.title}
      </Title>
      {sensors.some(({ clock_offset_ms }) => clock_offset_ms !== undefined) && (
        <Text size="sm" c="dimmed">
          {collection.sensors.hint}
        </Text>
      )}
      <TableCard
        label={collection.sensors.title}
        columns={ordered}
        empty={sensors.length === 0 ? collection.sensors.empty : undefined}
      >
        {rows.map((sensor) => (
          <Table.Tr key={sensor.source} data-sensor={sensor.source}>
            <Cell of={columns.source}>{sensor.source}</Cell>
            <Cell of={columns.seen} whole>
              <SensorSeen sensor={sensor} now={now} />
            </Cell>
            <Cell of={columns.clock} whole>
              <SensorClock offsetMs={sensor.clock_offset_ms} />
            </Cell>
            <Cell of={columns.captured} whole>
              {sensor.captured_at === undefined ? '—' : formatRelative(tag, new Date(sensor.captured_at), now)}
            </Cell>
            <Cell of={columns.day}>{formatNumber(tag, sensor.day)}</Cell>
            <Cell of={columns.accepted}>{formatNumber(tag, sensor.accepted)}</Cell>
            <Cell of={columns.refused}>
              <span className={sensor.refused > 0 ? classes.fault : ''}>{formatNumber(tag, sensor.refused)}</span>
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Stack>
  );
}

type Sensor = ConsoleCollection['sensors'][number];

/** When it was last heard, or without heartbeats when it last sent captures. */
function SensorSeen({
  sensor: { seen_at, accepted_at, silent },
  now,
}: {
  readonly sensor: Sensor;
  readonly now: Date;
}) {
  const { collection } = useConsole().operator;
  const { tag } = useLocale();
  const at = seen_at ?? accepted_at;
  return (
    <>
      {at === undefined ? '—' : formatRelative(tag, new Date(at), now)}
      {silent === true && (
        <Text size="xs" className={classes.fault ?? ''}>
          {collection.sensors.silent}
        </Text>
      )}
    </>
  );
}

/** Below this a difference is as likely the way of the request as the clock. */
const CLOCK_NOTED_MS = 2000;

function SensorClock({ offsetMs }: { readonly offsetMs: number | undefined }) {
  const { clock } = useConsole().operator.collection.sensors;
  const { tag } = useLocale();
  if (offsetMs === undefined) return '—';
  if (Math.abs(offsetMs) < CLOCK_NOTED_MS) return clock.right;
  const words = offsetMs > 0 ? clock.behind : clock.ahead;
  return (
    <span className={classes.fault}>
      {fill(words, { seconds: formatNumber(tag, Math.round(Math.abs(offsetMs) / 1000)) })}
    </span>
  );
}

function Ports({ ports }: { readonly ports: ConsoleCollection['ports'] }) {
  const { collection } = useConsole().operator;
  const rows = ports.map(({ protocol, port, connections }) => ({
    name: port === 0 ? protocol : `${protocol} ${port}`,
    value: connections,
  }));
  return (
    <Card title={collection.ports.title} hint={collection.ports.hint}>
      <BarList label={collection.ports.title} rows={rows} empty={collection.nothing} />
    </Card>
  );
}

function Countries({ countries }: { readonly countries: ConsoleCollection['countries'] }) {
  const { collection } = useConsole().operator;
  const { title, hint, unknown, others } = collection.countries;
  return (
    <Card title={title} hint={hint}>
      <CountryCounts label={title} countries={countries} unknown={unknown} others={others} empty={collection.nothing} />
    </Card>
  );
}

function Newest({ captures }: { readonly captures: ConsoleCollection['newest'] }) {
  const { collection } = useConsole().operator;
  const { tag } = useLocale();
  const { columns } = collection.newest;
  const { rows, ordered } = useTable(captures, [
    { name: columns.ip, value: ({ ip }) => ip },
    { name: columns.when, value: ({ at }) => at },
    { name: columns.type, value: (capture) => capture.risk_type },
    {
      name: columns.port,
      value: ({ protocol, port }) => [protocol, port || undefined].filter((part) => part !== undefined).join(' '),
    },
    { name: columns.country, value: ({ country }) => country },
    { name: columns.source, value: ({ source }) => source },
  ]);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {collection.newest.title}
      </Title>
      <TableCard label={collection.newest.title} columns={ordered}>
        {rows.map((capture, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and equal ones are equal
          <Table.Tr key={`${capture.at} ${capture.ip} ${capture.risk_type} ${place}`}>
            <Cell of={columns.ip}>{capture.ip}</Cell>
            <Cell of={columns.when} whole>
              {formatInstant(tag, new Date(capture.at))}
            </Cell>
            <Cell of={columns.type}>
              <code>{capture.risk_type}</code>
            </Cell>
            <Cell of={columns.port}>
              {[capture.protocol, capture.port === 0 ? undefined : capture.port]
                .filter((part) => part !== undefined)
                .join(' ') || '—'}
            </Cell>
            <Cell of={columns.country}>{capture.country === undefined ? '—' : countryName(tag, capture.country)}</Cell>
            <Cell of={columns.source}>{capture.source}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Stack>
  );
}
