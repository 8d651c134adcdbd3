import notice from '../../../../NOTICE?raw';
import docs from './docs.module.css';

/** NOTICE: attribution that the licences ask for. */
export const Notice = () => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
  <section className={docs.notice} tabIndex={0} aria-label="NOTICE" lang="en">
    <pre>{notice}</pre>
  </section>
);
