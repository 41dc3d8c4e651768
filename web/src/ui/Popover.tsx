import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import styles from './Popover.module.css';

type PopoverProps = {
  trigger: ReactElement;
  /** Read out as the name of what opens. */
  label: string;
  align?: 'start' | 'end';
  children: ReactNode;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
};

/** Controls that open below a button, such as a form or a list to choose from. */
export function Popover({ trigger, label, align = 'start', children, isOpen, onOpenChange }: PopoverProps) {
  return (
    <Base.Root {...(isOpen === undefined ? {} : { open: isOpen })} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className={styles.positioner}>
          <Base.Popup className={styles.popup} aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
