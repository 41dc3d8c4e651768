import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';

const key = 'heddle.theme'; // index.html reads it before the first paint
const listeners = new Set<() => void>();

/** The chosen theme; `system` follows the settings of the machine. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, readTheme), setTheme];
}

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // the choice lasts as long as the page
  }
  for (const listener of listeners) listener();
}

/** Whether dark colours are shown now; charts draw with it. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribeToColors, isDark);
}

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function isDark(): boolean {
  const theme = readTheme();
  return theme === 'system' ? systemIsDark.matches : theme === 'dark';
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function subscribeToColors(listener: () => void): () => void {
  systemIsDark.addEventListener('change', listener);
  const unsubscribe = subscribe(listener);
  return () => {
    systemIsDark.removeEventListener('change', listener);
    unsubscribe();
  };
}
