import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { IconName } from '../ui/Icon.tsx';

/** Something the command palette offers. */
export type Command = {
  title: string;
  /** The heading it is listed under. */
  group: string;
  icon?: IconName;
  /** As `useHotkeys` names it; only shown here. */
  shortcut?: string;
  /** Further words that find it. */
  keywords?: string;
  run: () => void;
};

let offered: readonly Command[][] = [];
const listeners = new Set<() => void>();

/** Adds commands to the palette while a component is shown. Keep the list stable with `useMemo`. */
export function useCommands(commands: Command[]): void {
  useEffect(() => {
    change([...offered, commands]);
    return () => change(offered.filter((each) => each !== commands));
  }, [commands]);
}

/** Every command that is offered now. */
export function useOfferedCommands(): Command[] {
  const lists = useSyncExternalStore(subscribe, () => offered);
  return useMemo(() => lists.flat(), [lists]);
}

function change(next: readonly Command[][]): void {
  offered = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
