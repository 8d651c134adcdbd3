import { Table, Title } from '@mantine/core';
import { RISK_TYPES } from '../../../../src/contract/risk.ts';
import { ageAtStrength } from '../../../../src/core/risk/decay.ts';
import { SCORE_PARAMETERS } from '../../../../src/core/risk/parameters.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/core/units.ts';
import { fill } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import classes from './docs.module.css';
import { DocsPage, Notes } from './docs-page.tsx';
import { ScoreCalculator } from './score-calculator.tsx';

/** @param otherwise the value from W on, in the reader's words */
const formula = (otherwise: string): string => `W = W_k · (1 + c_k · (d − 1) / 13)
f = 1 − (a / W)^(1/δ_k)     (a < W; ${otherwise})
s = max over p of B_k · w(p) · f(age of p)
S = 1 − Π (1 − s)
score = clamp(round(100 · S), 1, 100)`;

/** The score contract: formula, parameters as the service uses them, and a calculator that runs the service's own code. */
export function ScorePage() {
  const d = useDocs();
  const span = (ms: number): string => {
    if (ms <= 0) return d.score.never;
    const hours = ms / HOUR_MS;
    return hours < 48
      ? fill(d.score.hours, { n: hours < 10 ? hours.toFixed(1) : Math.round(hours) })
      : fill(d.score.days, { n: (ms / DAY_MS).toFixed(ms % DAY_MS === 0 ? 0 : 1) });
  };
  return (
    <DocsPage title={d.score.title} lead={d.score.lead}>
      <Title order={2}>{d.score.formula}</Title>
      <pre className={classes.formula}>{formula(d.score.otherwise)}</pre>
      <Notes of={d.score.symbols} />
      <Title order={2}>{fill(d.score.parameters, { version: SCORE_PARAMETERS.version })}</Title>
      <Table.ScrollContainer minWidth={560} type="native">
        <Table striped aria-label={fill(d.score.parameters, { version: SCORE_PARAMETERS.version })}>
          <Table.Thead>
            <Table.Tr>
              {Object.entries(d.score.columns).map(([key, name]) => (
                <Table.Th key={key}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {RISK_TYPES.map((type) => {
              const row = SCORE_PARAMETERS.types[type];
              return (
                <Table.Tr key={type}>
                  <Table.Td>
                    <code>{type}</code>
                  </Table.Td>
                  <Table.Td>{row.base.toFixed(2)}</Table.Td>
                  <Table.Td className={classes.number ?? ''}>{span(row.windowMs)}</Table.Td>
                  <Table.Td>{row.delta}</Table.Td>
                  <Table.Td>{row.persistence}</Table.Td>
                  <Table.Td>{span(ageAtStrength(0.695, row.base, row.windowMs, row.delta))}</Table.Td>
                  <Table.Td>{span(ageAtStrength(0.295, row.base, row.windowMs, row.delta))}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Title order={2}>{d.score.notes}</Title>
      <ul className={classes.list}>
        <li>{d.score.osint}</li>
        <li>{d.score.width}</li>
        <li>{d.score.ipv6}</li>
        <li>{d.score.descriptive}</li>
        <li>{d.score.why}</li>
      </ul>
      <ScoreCalculator />
    </DocsPage>
  );
}
