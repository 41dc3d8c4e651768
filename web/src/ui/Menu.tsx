import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';
import styles from './Menu.module.css';

/** Actions behind a button: `<Menu trigger={<Button>…</Button>}><MenuItem …/></Menu>`. */
export function Menu({
  trigger,
  children,
  align = 'start',
}: {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'end';
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className={styles.positioner}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type MenuItemProps = {
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

/** An item that is on or off; the menu stays open. */
export function MenuCheckbox({
  isChecked,
  onChange,
  children,
}: {
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Base.CheckboxItem className={styles.item} checked={isChecked} onCheckedChange={onChange} closeOnClick={false}>
      <span className={styles.mark}>{isChecked && <Icon name="check" />}</span>
      <span className={styles.label}>{children}</span>
    </Base.CheckboxItem>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <div className={styles.heading}>{children}</div>;
}

export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />;
}
