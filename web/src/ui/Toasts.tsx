import { Toast } from '@base-ui/react/toast';
import { IconButton } from './Button.tsx';
import styles from './Toasts.module.css';

const manager = Toast.createToastManager();

/** Says that something happened, at the edge of the page. Errors of what a page shows belong in the page instead. */
export function notify(title: string, kind: 'done' | 'error' = 'done'): void {
  manager.add({ title, type: kind, timeout: kind === 'error' ? 10_000 : 4000 });
}

/** Shows an error of an action. */
export function notifyError(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), 'error');
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`${styles.toast} ${toast.type === 'error' ? styles.error : ''}`}
    >
      <Toast.Title className={styles.title} />
      <Toast.Close render={<IconButton label="Dismiss" icon="close" />} />
    </Toast.Root>
  ));
}
