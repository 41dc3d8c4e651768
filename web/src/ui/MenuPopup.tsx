import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';
import styles from './Menu.module.css';
import { changeOf, type Opener } from './use-trigger.ts';

type MenuPopupProps = { opener: Opener; align: 'start' | 'end'; children: ReactNode };

/** What a menu opens; `Menu` loads it. */
export function MenuPopup({ opener, align, children }: MenuPopupProps) {
  return (
    <Base.Root open={opener.isOpen} onOpenChange={changeOf(opener)}>
      <Base.Portal>
        <Base.Positioner anchor={opener.button} sideOffset={4} align={align} className={styles.positioner}>
          <Base.Popup className={styles.popup} aria-labelledby={opener.id} finalFocus={opener.button}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export type MenuItemProps = {
  onSelect: () => void;
  icon?: IconName;
  /** Shown at the end of the line, such as a shortcut. */
  hint?: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
};

export function MenuItem({ onSelect, icon, hint, isDanger = false, isDisabled = false, children }: MenuItemProps) {
  return (
    <Base.Item className={`${styles.item} ${isDanger ? styles.danger : ''}`} onClick={onSelect} disabled={isDisabled}>
      <span className={styles.mark}>{icon && <Icon name={icon} />}</span>
      <span className={styles.label}>{children}</span>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
    </Base.Item>
  );
}

export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />;
}
