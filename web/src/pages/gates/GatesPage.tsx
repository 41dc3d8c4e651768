import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { gatesQuery, suitesQuery } from '../../api/gates.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import startStyles from '../../components/StartPage.module.css';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { gateUrl } from '../../urls.ts';
import { AboutGates } from './AboutGates.tsx';
import styles from './GatesPage.module.css';
import { gateColumns } from './gate-columns.tsx';
import { Suites } from './Suites.tsx';

const FreezeSuite = lazy(() => import('./FreezeSuite.tsx').then((module) => ({ default: module.FreezeSuite })));
const StartGate = lazy(() => import('./start/StartGate.tsx').then((module) => ({ default: module.StartGate })));

/** The suites of a project, and the gates that compare models on them. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const [search, change] = useSearchState();
  const [form, setForm] = useState<{ kind: 'freeze' } | { kind: 'start'; suite: string | undefined } | null>(null);
  usePageTitle('Gates', project.project);
  const suites = useQuery(suitesQuery(project));
  const query = useInfiniteQuery(gatesQuery(project, search.suite));
  const gates = useMemo(() => query.data?.pages.flat() ?? [], [query.data]);

  const error = (suites.data ? null : suites.error) ?? (query.data ? null : query.error);
  if (error)
    return <ErrorMessage error={error} onRetry={() => void Promise.all([suites.refetch(), query.refetch()])} />;
  if (!suites.data || !query.data) return <Loading label="Loading gates" lines={8} />;
  const forGates = suites.data.filter(({ purpose }) => purpose === 'gate');
  const open = (id: string) => void navigate({ to: gateUrl(project, id) });
  const close = () => setForm(null);
  return (
    <>
      <PageHeader
        title="Gates"
        actions={
          <>
            {forGates.length > 0 && (
              <Select
                label="Suite"
                isLabelHidden
                value={search.suite ?? ''}
                options={[
                  { value: '', label: 'All suites' },
                  ...forGates.map(({ name }) => ({ value: name, label: name })),
                ]}
                onChange={(suite) => change({ suite }, { replace: true })}
              />
            )}
            <Button
              kind={forGates.length === 0 ? 'primary' : 'normal'}
              icon="plus"
              onClick={() => setForm({ kind: 'freeze' })}
            >
              Freeze a suite
            </Button>
            {forGates.length > 0 && (
              <Button kind="primary" icon="play" onClick={() => setForm({ kind: 'start', suite: search.suite })}>
                Start a gate
              </Button>
            )}
          </>
        }
      />
      {suites.data.length > 0 && <Suites suites={suites.data} onStart={(suite) => setForm({ kind: 'start', suite })} />}
      {gates.length === 0 ? (
        <div className={startStyles.start}>
          <h2 className={styles.title}>
            {search.suite === undefined ? 'No gates yet' : `No gates on ${search.suite} yet`}
          </h2>
          <AboutGates
            projectId={project.id}
            suite={search.suite ?? forGates[0]?.name}
            isFirst={forGates.length === 0}
          />
        </div>
      ) : (
        <div className={styles.list}>
          <DataTable
            label="Gates"
            columns={gateColumns}
            items={gates}
            keyOf={({ id }) => id}
            onOpen={({ id }) => open(id)}
            onEndReached={() => canLoadMore(query) && void query.fetchNextPage()}
            isStale={query.isPlaceholderData}
            footer={
              <>
                {`${formatCount(gates.length)}${query.hasNextPage ? '+' : ''} ${gates.length === 1 ? 'gate' : 'gates'}`}
                <NextPageError query={query} />
              </>
            }
          />
        </div>
      )}
      <Suspense>
        {form?.kind === 'freeze' && <FreezeSuite onClose={close} />}
        {form?.kind === 'start' && <StartGate suites={forGates} suite={form.suite} onClose={close} onStarted={open} />}
      </Suspense>
    </>
  );
}
