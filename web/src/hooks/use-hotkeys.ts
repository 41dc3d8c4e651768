import { useLayoutEffect, useRef } from 'react';

/**
 * Runs actions for keys, such as `j`, `Escape`, `mod+k` (⌘ or Ctrl) or `g t` (one after the other). Keys without `mod` do
 * nothing while the user types, and Enter does what the focused button or link does.
 */
export function useHotkeys(actions: Record<string, (event: KeyboardEvent) => void>): void {
  const current = useRef(actions);
  current.current = actions;
  // Before the paint: a key that is pressed as soon as something appears is not lost.
  useLayoutEffect(() => {
    let before = '';
    let beforeAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const key = nameOf(event);
      if (event.defaultPrevented || key === null || (!key.startsWith('mod+') && isTyping(event.target))) return;
      if (key === 'Enter' && isOperated(event.target)) return;
      const chord = event.timeStamp - beforeAt < 1000 ? `${before} ${key}` : '';
      before = key;
      beforeAt = event.timeStamp;
      const action = current.current[chord] ?? current.current[key];
      if (!action) return;
      event.preventDefault();
      before = '';
      action(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** How a shortcut is written for readers. */
export function shortcutText(shortcut: string): string {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  return shortcut.replace('mod+', isMac ? '⌘' : 'Ctrl ').replace(/\b([a-z])$/, (letter) => letter.toUpperCase());
}

function nameOf(event: KeyboardEvent): string | null {
  if (event.altKey || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return null;
  return event.metaKey || event.ctrlKey ? `mod+${event.key.toLowerCase()}` : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input:not([type=checkbox]), textarea, select, [role=menu], [role=dialog]') !== null)
  );
}

/** Choices are made with a click or a digit: Enter goes on. */
function isOperated(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, summary, button:not([role=radio])') !== null;
}
