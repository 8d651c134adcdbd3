import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

/** Code with a copy button. Scrolls by itself when long, and can be reached and scrolled with the keyboard. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className={classes.block}>
      <div className={classes.bar}>
        <span>{label}</span>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.code} tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
    </div>
  );
}
