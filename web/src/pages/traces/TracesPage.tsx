import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { StartPage } from '../../components/StartPage.tsx';
import { typedField } from '../../features/call/field-paths.ts';
import { useWithFailures } from '../../features/call/use-with-failures.ts';
import { WhichCalls } from '../../features/call/WhichCalls.tsx';
import { StartLines } from '../../features/start/StartLines.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { rangeOptions, rangeText } from '../../format/time-range.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { useStoredState } from '../../hooks/use-stored-state.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Select } from '../../ui/Select.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';
import { ColumnChooser } from './ColumnChooser.tsx';
import { FilterField } from './FilterField.tsx';
import { fieldsOf, valuesOf } from './fields.ts';
import { NoMatch } from './NoMatch.tsx';
import { SelectionActions } from './SelectionActions.tsx';
import { TracesCharts } from './TracesCharts.tsx';
import styles from './TracesPage.module.css';
import { columnIdsIn, columnsOf, columnsText, defaultColumns } from './trace-columns.tsx';
import { chartRange, countQuery, extentQuery } from './traces-query.ts';
import { useSelection } from './use-selection.ts';
import { useTraces } from './use-traces.ts';
import { useOpenView } from './views/use-open-view.ts';
import { ViewConditions } from './views/ViewConditions.tsx';
import { ViewMenu } from './views/ViewMenu.tsx';
import { definitionOf, viewStateOf } from './views/view-state.ts';

const loadCallView = () => import('../../features/call/CallView.tsx');
const CallView = lazy(() => loadCallView().then((module) => ({ default: module.CallView })));

/** The calls of a project. Everything that a link should bring back is in the address; the columns are remembered. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  const isLive = search.live === '1';
  const [stored, setStored] = useStoredState<string[]>(`trace-columns.${project.id}`, defaultColumns);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  usePageTitle('Traces', project.project);

  const { selection, parsed, text, isRootsOnly, range, now, sort } = useSelection(search);
  const opened = useOpenView();
  const isReady = !parsed.isPending && !opened.isOpening;
  const traces = useTraces({ selection, sort, isLive, isReady });
  const { calls, isMissing, hasNextPage, isFetchNextPageError, fetchNextPage } = traces;
  const isMoreWanted = hasNextPage && !traces.isFetchingNextPage && !isFetchNextPageError;
  const isShown = !traces.isPending; // the rows come first: everything else would slow them down
  const { data: counted } = useQuery({
    ...countQuery(selection),
    enabled: isShown && isReady && !isMissing,
    refetchInterval: isLive && 5000,
  });

  const columnIds = useMemo(
    () => (search.cols === undefined ? stored : columnIdsIn(search.cols)),
    [search.cols, stored],
  );
  const columns = useMemo(() => columnsOf(columnIds), [columnIds]);
  const fields = useMemo(() => fieldsOf(calls.slice(0, 100)), [calls]);
  const setText = useCallback((q: string) => change({ q }, { replace: true }), [change]);
  const addCondition = useCallback((condition: string) => change({ q: `${text} ${condition}`.trim() }), [change, text]);
  const onEndReached = useCallback(() => {
    if (isMoreWanted) void fetchNextPage();
  }, [isMoreWanted, fetchNextPage]);
  const { data: extent } = useQuery({ ...extentQuery(project.id), enabled: isShown });
  const charts = useMemo(() => extent && chartRange(range, extent, now), [range, extent, now]);
  const items = useWithFailures(project.id, calls, isRootsOnly);

  const isFiltered = text !== '' || search.range !== undefined || search.where !== undefined || !isRootsOnly;
  if (!isFiltered && traces.isSuccess && !traces.isPlaceholderData && calls.length === 0)
    return <FirstTrace projectId={project.id} />;
  if (isMissing) return <FirstTrace projectId={project.id} />;
  const isCustomRange = search.range !== undefined && !rangeOptions.some(({ value }) => value === search.range);
  return (
    <>
      <PageHeader
        title={
          <>
            {isRootsOnly ? 'Traces' : 'Calls'}{' '}
            <span className={styles.count}>
              {counted && `${formatCount(counted.count)}${counted.has_more ? '+' : ''}`}
            </span>
          </>
        }
        actions={
          <>
            <Button
              icon={isLive ? 'pause' : 'play'}
              kind="quiet"
              aria-pressed={isLive}
              onClick={() => change({ live: isLive ? undefined : '1' }, { replace: true })}
            >
              {isLive ? 'Live' : 'Go live'}
            </Button>
            <SelectionActions selection={selection} selected={selected} onDone={() => setSelected(new Set())} />
            <ColumnChooser
              chosen={columnIds}
              fields={fields}
              onChange={(chosen) => {
                setStored(chosen);
                change(
                  { cols: chosen.join() === defaultColumns.join() ? undefined : columnsText(chosen) },
                  { replace: true },
                );
              }}
            />
          </>
        }
      >
        <ViewMenu
          opened={opened}
          definition={parsed.data === undefined ? null : definitionOf(viewStateOf(search), parsed.data, columnIds)}
        />
      </PageHeader>
      <div className={styles.filters}>
        <FilterField
          text={text}
          onChange={setText}
          fields={fields}
          valuesOf={(typed) => valuesOf(calls, typedField(typed, fields))}
          error={parsed.error?.message ?? null}
        />
        <Select
          label="Time range"
          isLabelHidden
          value={search.range ?? ''}
          options={
            isCustomRange ? [...rangeOptions, { value: search.range!, label: 'Chosen in the chart' }] : rangeOptions
          }
          onChange={(value) => change({ range: value })}
        />
        <WhichCalls isRootsOnly={isRootsOnly} onChange={(isRoots) => change({ all: isRoots ? undefined : '1' })} />
        <ViewConditions />
        {opened.isMissing && (
          <p role="alert" className={styles.missing}>
            The view “{search.view}” does not exist, so all calls are shown.
          </p>
        )}
      </div>
      <TracesCharts
        selection={selection}
        range={charts ?? null}
        onSelect={(from, to) => change({ range: rangeText(from, to) })}
      />
      <div className={styles.split} onPointerEnter={() => void loadCallView()}>
        {traces.isPending ? (
          <Loading label="Loading traces" lines={8} />
        ) : traces.error && calls.length === 0 ? (
          <ErrorMessage error={traces.error} onRetry={traces.refetch} />
        ) : (
          <DataTable
            label="Traces"
            columns={columns}
            items={items}
            keyOf={keyOf}
            activeKey={search.call}
            onOpen={({ id }) => change({ call: id }, { replace: search.call !== undefined })}
            onFilter={addCondition}
            sort={
              sort && {
                column: columns.find(({ field }) => field === sort.field)?.id ?? '',
                isDescending: sort.isDescending,
              }
            }
            onSort={({ column, isDescending }) => {
              const field = columns.find(({ id }) => id === column)?.field;
              change({ sort: field && `${field}:${isDescending ? 'desc' : 'asc'}` });
            }}
            selected={selected}
            onSelect={setSelected}
            onEndReached={onEndReached}
            isStale={traces.isPlaceholderData}
            footer={
              isFetchNextPageError ? (
                <NextPageError query={traces} />
              ) : hasNextPage ? (
                'Loading more…'
              ) : (
                `${formatCount(calls.length)} shown, that is all.`
              )
            }
            empty={
              <NoMatch
                query={selection.query}
                onClear={() => change({ q: undefined, range: undefined, where: undefined })}
              />
            }
          />
        )}
        {search.call !== undefined && (
          <Panel
            title="Call"
            onClose={() => change({ call: undefined, tab: undefined })}
            actions={
              <IconButton
                label="Open on its own page"
                icon="external"
                onClick={() => window.open(callUrl(project, search.call!), '_blank', 'noopener')}
              />
            }
          >
            <Suspense fallback={<Loading label="Loading the call" lines={6} />}>
              <CallView
                callId={search.call}
                onChoose={(call) => change({ call }, { replace: true })}
                onFilter={addCondition}
              />
            </Suspense>
          </Panel>
        )}
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

function keyOf({ id }: { id: string }): string {
  return id;
}
