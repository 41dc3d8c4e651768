import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/Button.tsx';

const AddToQueueDialog = lazy(() =>
  import('./AddToQueueDialog.tsx').then((module) => ({ default: module.AddToQueueDialog })),
);

/** A button that adds calls to an annotation queue, existing or new. */
export function AddToQueue({ callIds, onDone }: { callIds: string[]; onDone?: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon="queue" onClick={() => setIsOpen(true)}>
        Add to queue
      </Button>
      {isOpen && (
        <Suspense>
          <AddToQueueDialog
            callIds={callIds}
            onClose={(isAdded) => {
              setIsOpen(false);
              if (isAdded) onDone?.();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
