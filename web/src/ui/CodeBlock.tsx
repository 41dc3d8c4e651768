import styles from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';

/** Lines to copy or to read, such as a program or a command. */
export function CodeBlock({
  text,
  label,
  title,
  wraps = false,
}: {
  text: string;
  label: string;
  title?: string;
  /** Whether lines may break anywhere instead of scrolling. */
  wraps?: boolean;
}) {
  return (
    <figure className={styles.block} aria-label={label}>
      <figcaption className={styles.head}>
        <span>{title ?? label}</span>
        <CopyButton text={text} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={`${styles.code} ${wraps ? styles.wraps : ''}`} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
