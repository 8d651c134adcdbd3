import { Button, Drawer, Stack } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useLocale } from '../locale.tsx';
import classes from './side-menu.module.css';

export interface MenuLink {
  readonly path: string;
  readonly name: string;
  readonly isHere: boolean;
}

interface Props {
  readonly label: string;
  readonly links: readonly MenuLink[];
  /** Links that are folded under a name, unless one of them is the page shown. */
  readonly groups?: readonly (readonly [name: string, links: readonly MenuLink[]])[];
  /** Stands above and below the links. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

/** A page beside its menu; on a narrow screen the menu is a drawer behind the name of the page. */
export function SideMenu({ label, links, groups = [], above, below, children }: Props) {
  const { to } = useLocale();
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [open, drawer] = useDisclosure(false);
  const draw = ({ path, name, isHere }: MenuLink): ReactNode => (
    <Link
      key={path}
      href={to(path)}
      className={classes.link ?? ''}
      aria-current={isHere ? 'page' : undefined}
      onClick={drawer.close}
    >
      {name}
    </Link>
  );
  const all = [...links, ...groups.flatMap(([, grouped]) => grouped)];
  const menu = (
    <Stack gap="md" data-screen>
      {above}
      <nav className={classes.nav} aria-label={label}>
        {links.map(draw)}
        {groups.map(([name, grouped]) => {
          const isHere = grouped.some((link) => link.isHere);
          return (
            <details key={`${name} ${isHere}`} open={isHere}>
              <summary className={classes.link}>{name}</summary>
              {grouped.map(draw)}
            </details>
          );
        })}
      </nav>
      {below}
    </Stack>
  );
  return (
    <div className={classes.layout}>
      {isWide ? (
        menu
      ) : (
        <>
          <Button variant="default" justify="space-between" rightSection="☰" onClick={drawer.open} data-testid="menu">
            {all.find(({ isHere }) => isHere)?.name ?? label}
          </Button>
          <Drawer
            opened={open}
            onClose={drawer.close}
            title={label}
            size="xs"
            closeButtonProps={{ 'aria-label': label }}
          >
            {menu}
          </Drawer>
        </>
      )}
      {children}
    </div>
  );
}
