import { useCallback, useMemo, useState } from 'react';
import { StartPage } from '../../components/StartPage.tsx';
import { StartLines } from '../../features/start/StartLines.tsx';
import { useProject } from '../../features/use-project.ts';
import { rangeText } from '../../format/time-range.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { CallPanel, loadCallView } from './CallPanel.tsx';
import { fieldsOf } from './fields.ts';
import { TracesCharts } from './TracesCharts.tsx';
import { TracesFilters } from './TracesFilters.tsx';
import { TracesHeader } from './TracesHeader.tsx';
import styles from './TracesPage.module.css';
import { TracesTable } from './TracesTable.tsx';
import { useColumns } from './use-columns.ts';
import { useSelection } from './use-selection.ts';
import { useTraces } from './use-traces.ts';
import { useOpenView } from './views/use-open-view.ts';

/** The calls of a project. Everything that a link should bring back is in the address; the columns are remembered. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  const isLive = search.live === '1';
  const columns = useColumns();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  usePageTitle('Traces', project.project);

  const { selection, parsed, text, isRootsOnly, range, now, sort } = useSelection(search);
  const opened = useOpenView();
  const isReady = !parsed.isPending && !opened.isOpening;
  const traces = useTraces({ selection, sort, isLive, isReady });
  const { calls } = traces;
  const isShown = !traces.isPending; // the rows come first: everything else would slow them down
  const fields = useMemo(() => fieldsOf(calls.slice(0, 100)), [calls]);
  const addCondition = useCallback((condition: string) => change({ q: `${text} ${condition}`.trim() }), [change, text]);

  const isFiltered = text !== '' || search.range !== undefined || search.where !== undefined || !isRootsOnly;
  const isEmpty = traces.isSuccess && !traces.isPlaceholderData && calls.length === 0;
  if (traces.isMissing || (isEmpty && !isFiltered)) return <FirstTrace projectId={project.id} />;
  return (
    <>
      <TracesHeader
        selection={selection}
        condition={parsed.data}
        isLive={isLive}
        isCounted={isShown && isReady}
        columns={columns}
        fields={fields}
        opened={opened}
        selected={selected}
        onSelect={setSelected}
      />
      <TracesFilters
        text={text}
        error={parsed.error?.message ?? null}
        isRootsOnly={isRootsOnly}
        calls={calls}
        fields={fields}
        isViewMissing={opened.isMissing}
      />
      <TracesCharts
        selection={selection}
        range={range}
        now={now}
        isShown={isShown}
        onSelect={(from, to) => change({ range: rangeText(from, to) })}
      />
      <div className={styles.split} onPointerEnter={() => void loadCallView()}>
        <TracesTable
          traces={traces}
          selection={selection}
          sort={sort}
          columnIds={columns.columnIds}
          onFilter={addCondition}
          selected={selected}
          onSelect={setSelected}
        />
        {search.call !== undefined && <CallPanel callId={search.call} onFilter={addCondition} />}
      </div>
    </>
  );
}

function FirstTrace({ projectId }: { projectId: string }) {
  return (
    <StartPage title="No traces yet">
      <p>Set these variables, then run the program: its calls appear here.</p>
      <StartLines projectId={projectId} />
    </StartPage>
  );
}
