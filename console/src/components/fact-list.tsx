import { Fragment } from 'react';
import classes from '../verdict/facts.module.css';
import { isToken } from './is-token.ts';

/** Names with a value each. @param facts names are unique, and stand in the order they are shown */
export function FactList({ facts }: { readonly facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd data-token={isToken(value)}>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
