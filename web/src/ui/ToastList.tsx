import { Toast } from '@base-ui/react/toast';
import { useEffect } from 'react';
import { IconButton } from './Button.tsx';
import styles from './Toasts.module.css';
import type { Notice } from './Toasts.tsx';

const manager = Toast.createToastManager();

/** Shows the notices; `Toasts` loads it. `changes` grows with each new notice. */
export function ToastList({ notices, changes }: { notices: Notice[]; changes: number }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is emptied here, and filled before each change
  useEffect(() => {
    for (const { title, kind } of notices.splice(0))
      manager.add({ title, type: kind, timeout: kind === 'error' ? 10_000 : 4000 });
  }, [notices, changes]);
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
