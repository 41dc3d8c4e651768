import { useEffect, useRef } from 'react';
import styles from './Tooltips.module.css';

const delayMs = 500;
const marginPx = 6;

/**
 * Shows the text in `data-tooltip` of the element under the pointer, or of the one that the keyboard reaches. One for the
 * whole page. The text is only seen: what is needed to understand the page belongs in labels.
 */
export function Tooltips() {
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | null = null;
    const hide = () => {
      clearTimeout(timer);
      current = null;
      if (popup.current?.matches(':popover-open')) popup.current.hidePopover();
    };
    const show = () => {
      if (current?.isConnected && popup.current) showBeside(current, popup.current);
    };
    const onPointerOver = ({ target, pointerType }: PointerEvent) => {
      const element = elementWithText(target);
      if (element === current) return;
      hide();
      if (pointerType !== 'mouse') return;
      current = element;
      timer = setTimeout(show, delayMs);
    };
    const onFocusIn = ({ target }: FocusEvent) => {
      const element = elementWithText(target);
      hide();
      if (!element?.matches(':focus-visible')) return;
      current = element;
      show();
    };
    const onPointerOut = ({ relatedTarget }: PointerEvent) => relatedTarget === null && hide();
    const stop = new AbortController();
    const options = { capture: true, signal: stop.signal };
    document.addEventListener('pointerover', onPointerOver, options);
    document.addEventListener('pointerout', onPointerOut, options);
    document.addEventListener('focusin', onFocusIn, options);
    for (const type of ['pointerdown', 'keydown', 'scroll']) document.addEventListener(type, hide, options);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, []);
  return <div ref={popup} popover="manual" className={styles.tooltip} aria-hidden="true" />;
}

function elementWithText(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null;
}

/** Below the element, or above it where there is no room, within the window. */
function showBeside(element: HTMLElement, popup: HTMLElement): void {
  popup.textContent = element.dataset.tooltip!;
  popup.showPopover();
  const place = element.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const isBelow = place.bottom + marginPx + height <= innerHeight;
  const left = place.left + (place.width - width) / 2;
  popup.style.left = `${Math.max(marginPx, Math.min(innerWidth - width - marginPx, left))}px`;
  popup.style.top = `${isBelow ? place.bottom + marginPx : place.top - marginPx - height}px`;
}
