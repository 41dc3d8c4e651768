import { type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';

/** How a button and what it opens know each other. */
export type Opener = {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
};

/** What the component library reports when it closes something. */
type CloseDetails = { reason: string; event: Event };

type Given = { isOpen?: boolean | undefined; onOpenChange?: ((isOpen: boolean) => void) | undefined };

/**
 * A button that opens a popup. What it opens is rendered from the first time on, so its code is loaded then; `load` fetches
 * it as soon as the user points at the button.
 */
export function useTrigger(kind: 'menu' | 'dialog', load: () => Promise<unknown>, given: Given = {}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOwnOpen, setIsOwnOpen] = useState(false);
  const isOpen = given.isOpen ?? isOwnOpen;
  const wasOpened = useRef(false);
  wasOpened.current ||= isOpen;
  const onChange = (next: boolean) => {
    setIsOwnOpen(next);
    given.onOpenChange?.(next);
  };
  const props = {
    id,
    ref: button,
    'aria-haspopup': kind,
    'aria-expanded': isOpen,
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => onChange(!isOpen),
    onKeyDown: (event: KeyboardEvent) => {
      if (kind !== 'menu' || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
      event.preventDefault();
      onChange(true);
    },
  };
  return { props, opener: { id, button, isOpen, onChange } satisfies Opener, wasOpened: wasOpened.current };
}

/** Passes on what the library reports. A press of the button while the popup is open closes it by its own click. */
export function changeOf({ button, onChange }: Opener): (isOpen: boolean, details: CloseDetails) => void {
  return (isOpen, { reason, event }) => {
    const touched = event instanceof FocusEvent ? event.relatedTarget : event.target;
    const isByButton = touched instanceof Node && button.current?.contains(touched);
    if (isByButton && (reason === 'outside-press' || reason === 'focus-out')) return;
    onChange(isOpen);
  };
}
