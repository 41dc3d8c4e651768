import { useMemo } from 'react';
import { useProject } from '../../features/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { useStoredState } from '../../hooks/use-stored-state.ts';
import { columnIdsIn, columnsText, defaultColumns } from './trace-columns.tsx';

/** The columns of the list, by their ids: those of the address, or those that were last chosen in this project. */
export function useColumns(): { columnIds: string[]; chooseColumns: (ids: string[]) => void } {
  const { id: projectId } = useProject();
  const [search, change] = useSearchState();
  const [stored, setStored] = useStoredState<string[]>(`trace-columns.${projectId}`, defaultColumns);
  const columnIds = useMemo(
    () => (search.cols === undefined ? stored : columnIdsIn(search.cols)),
    [search.cols, stored],
  );
  const chooseColumns = (ids: string[]) => {
    setStored(ids);
    change({ cols: ids.join() === defaultColumns.join() ? undefined : columnsText(ids) }, { replace: true });
  };
  return { columnIds, chooseColumns };
}
