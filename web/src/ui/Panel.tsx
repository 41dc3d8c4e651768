import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './Button.tsx';
import styles from './Panel.module.css';

type PanelProps = {
  title: ReactNode;
  onClose: () => void;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/**
 * Details beside the page that opened them, which stays usable: lists can be walked with the panel open. It covers a phone's
 * whole screen. Escape closes it.
 */
export function Panel({ title, onClose, actions, children }: PanelProps) {
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isInPopup(event.target)) close.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <aside ref={panel} className={styles.panel} aria-labelledby={titleId}>
      <header className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        {actions}
        <IconButton label="Close panel" icon="close" hint="Close (Esc)" onClick={onClose} />
      </header>
      <div className={styles.body}>{children}</div>
    </aside>
  );
}

/** Escape first closes dialogs and menus. */
function isInPopup(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
}
