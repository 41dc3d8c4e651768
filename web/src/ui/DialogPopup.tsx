import { Dialog as Base } from '@base-ui/react/dialog';
import { IconButton } from './Button.tsx';
import styles from './Dialog.module.css';
import type { DialogProps } from './Dialog.tsx';

/** What `Dialog` shows, and loads. */
export function DialogPopup(props: DialogProps) {
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
