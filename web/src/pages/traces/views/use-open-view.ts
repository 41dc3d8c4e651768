import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type SavedView, savedViewsQuery } from '../../../api/saved-views.ts';
import { useProject } from '../../../features/use-project.ts';
import { useSearchState } from '../../../hooks/use-search-state.ts';
import { stateOfView, type ViewState, viewKeys, viewStateOf } from './view-state.ts';

type OpenView = {
  views: SavedView[] | undefined;
  /** The view that the address names. */
  view: SavedView | undefined;
  /** Whether the address names a view that is not there. */
  isMissing: boolean;
  /** Whether the page shows something else than the view stores. */
  isChanged: boolean;
  /** Whether the page waits for the view before it can show calls. */
  isOpening: boolean;
  open: (view: SavedView) => void;
};

/** The saved views. An address with the name of a view and nothing else, such as the SDKs print, opens that view. */
export function useOpenView(): OpenView {
  const { id: projectId } = useProject();
  const [search, change] = useSearchState();
  const { data: views, isPending } = useQuery(savedViewsQuery(projectId));
  const view = views?.find(({ name }) => name === search.view);
  const state = viewStateOf(search);
  const stored = view && stateOfView(view.definition);
  const opened = useRef<string | undefined>(undefined);
  const isBare = Object.keys(state).length === 0;
  const isOpening =
    search.view !== undefined &&
    isBare &&
    opened.current !== search.view &&
    (view ? !isSame(state, stored!) : isPending);

  useEffect(() => {
    if (search.view === undefined || !view) return;
    if (opened.current !== view.name && isBare) change(withAllKeys(stateOfView(view.definition)), { replace: true });
    opened.current = view.name;
  }, [search.view, view, isBare, change]);

  return {
    views,
    view,
    isMissing: search.view !== undefined && views !== undefined && !view,
    isChanged: stored !== undefined && !isOpening && !isSame(state, stored),
    isOpening,
    open: (next) => {
      opened.current = next.name;
      change({ ...withAllKeys(stateOfView(next.definition)), view: next.name, call: undefined });
    },
  };
}

/** The address without the state that a view would set. */
export function withAllKeys(state: ViewState): ViewState {
  return Object.fromEntries(viewKeys.map((key) => [key, state[key]]));
}

function isSame(a: ViewState, b: ViewState): boolean {
  return viewKeys.every((key) => a[key] === b[key]);
}
