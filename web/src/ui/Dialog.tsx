import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { IconButton } from './Button.tsx';
import styles from './Dialog.module.css';

type DialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** For forms with much to read. */
  isWide?: boolean;
  /** What the dialog asks or explains, in a sentence. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  /** The field that gets the focus; otherwise the button that closes the dialog. */
  initialFocus?: RefObject<HTMLElement | null>;
};

/** A question or a form over the page. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, isWide = false, description, children, actions, initialFocus } = props;
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={`${styles.popup} ${isWide ? styles.wide : ''}`}
          {...(initialFocus ? { initialFocus } : {})}
        >
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <IconButton label="Close" icon="close" onClick={onClose} />
          </div>
          {description !== undefined && (
            <Base.Description className={styles.description}>{description}</Base.Description>
          )}
          {children}
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
