import styles from './Kbd.module.css';

/** A key or a chord, such as `⌘K`. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}
