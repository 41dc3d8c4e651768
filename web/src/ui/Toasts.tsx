import { lazy, Suspense, useEffect, useState } from 'react';

const ToastList = lazy(() => import('./ToastList.tsx').then((module) => ({ default: module.ToastList })));

export type Notice = { title: string; kind: 'done' | 'error' };

const notices: Notice[] = [];
let onNotice = () => {};

/** Says that something happened, at the edge of the page. Errors of what a page shows belong in the page instead. */
export function notify(title: string, kind: Notice['kind'] = 'done'): void {
  notices.push({ title, kind });
  onNotice();
}

/** Shows an error of an action. */
export function notifyError(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), 'error');
}

/** Loads its code with the user's first action: screen readers announce only what appears in a region that is there. */
export function Toasts() {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    onNotice = () => setChanges((count) => count + 1);
    const stop = new AbortController();
    for (const type of ['pointerdown', 'keydown'])
      document.addEventListener(type, onNotice, { once: true, capture: true, signal: stop.signal });
    return () => stop.abort();
  }, []);
  return (
    changes > 0 && (
      <Suspense>
        <ToastList notices={notices} changes={changes} />
      </Suspense>
    )
  );
}
