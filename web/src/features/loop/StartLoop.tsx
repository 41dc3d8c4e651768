import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/Button.tsx';

const LoopDialog = lazy(() => import('./LoopDialog.tsx').then((module) => ({ default: module.LoopDialog })));

type StartLoopProps = {
  /** Which chats the loop collects; null while they cannot be read. */
  chats: { view: string; where: string; isWithoutRange: boolean } | null;
};

/** Opens the form for a loop on the chats that a list shows. */
export function StartLoop({ chats }: StartLoopProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon="loop" disabled={chats === null} onClick={() => setIsOpen(true)}>
        Start a loop
      </Button>
      {isOpen && chats && (
        <Suspense>
          <LoopDialog chats={chats} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
