import styles from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';

/** Lines to copy or to read, such as a program or a command. */
export function CodeBlock({ text, label, title }: { text: string; label: string; title?: string }) {
  return (
    <figure className={styles.block} aria-label={label}>
      <figcaption className={styles.head}>
        <span>{title ?? label}</span>
        <CopyButton text={text} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
