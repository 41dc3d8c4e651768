import { lazy, type ReactNode, type RefObject, Suspense, useRef } from 'react';

const DialogPopup = lazy(() => import('./DialogPopup.tsx').then((module) => ({ default: module.DialogPopup })));

export type DialogProps = {
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

/** A question or a form over the page. Its code is loaded when the first dialog opens. */
export function Dialog(props: DialogProps) {
  const wasOpened = useRef(false);
  wasOpened.current ||= props.isOpen;
  if (!wasOpened.current) return null;
  return (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  );
}
