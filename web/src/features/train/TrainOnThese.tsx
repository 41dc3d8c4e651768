import { lazy, Suspense, useState } from 'react';
import type { CallsBody } from '../../api/calls.ts';
import { Button } from '../../ui/Button.tsx';

const TrainDialog = lazy(() => import('./TrainDialog.tsx').then((module) => ({ default: module.TrainDialog })));

export type CallsToTrain = {
  projectId: string;
  filter: CallsBody['filter'];
  query: CallsBody['query'];
  /** Ids; all calls of the filter and the query if it is empty. */
  selected: ReadonlySet<string>;
};

/** Starts training on the selected calls, or on all that a list shows. */
export function TrainOnThese(calls: CallsToTrain) {
  const [isOpen, setIsOpen] = useState(false);
  const { size } = calls.selected;
  return (
    <>
      <Button icon="training" onClick={() => setIsOpen(true)}>
        {size > 0 ? `Train on ${size}` : 'Train'}
      </Button>
      {isOpen && (
        <Suspense>
          <TrainDialog calls={calls} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
