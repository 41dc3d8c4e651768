import { Popover as Base } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import styles from './Popover.module.css';
import { changeOf, type Opener } from './use-trigger.ts';

type PopoverPopupProps = { opener: Opener; label: string; align: 'start' | 'end'; children: ReactNode };

/** What a popover opens; `Popover` loads it. */
export function PopoverPopup({ opener, label, align, children }: PopoverPopupProps) {
  return (
    <Base.Root open={opener.isOpen} onOpenChange={changeOf(opener)}>
      <Base.Portal>
        <Base.Positioner anchor={opener.button} sideOffset={4} align={align} className={styles.positioner}>
          <Base.Popup className={styles.popup} aria-label={label} finalFocus={opener.button}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
