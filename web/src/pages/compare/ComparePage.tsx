import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Call, callQuery } from '../../api/calls.ts';
import { type Conversation, conversationQuery } from '../../api/conversations.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { comparedCallsMax, projectUrl } from '../../urls.ts';
import styles from './ComparePage.module.css';
import { CompareTable } from './CompareTable.tsx';

/** Calls beside each other, with their differences marked. The address names them; others are compared with the first. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle('Compare calls', project.project);
  const ids = [...new Set((search.calls ?? '').split(',').filter((id) => id !== ''))].slice(0, comparedCallsMax);
  const queries = useQueries({ queries: ids.map((id) => callQuery(project.id, id)) });
  const calls = queries.map(({ data }) => data ?? null);
  const read = useQueries({
    queries: queries.map(({ data }, index) => ({
      ...conversationQuery(project.id, data ?? { id: ids[index]!, ended_at: null }),
      enabled: data != null,
    })),
  });
  const conversations = read.map(({ data }) => data?.conversation ?? null);
  const hasMessages = conversations.some((each) => each !== null);
  const isData = search.view === undefined ? !areChats(calls, conversations) : search.view === 'data';
  const isOnlyDifferent = search.only === '1';
  const failed = queries.find(({ error }) => error !== null);
  const setIds = (next: string[]) => change({ calls: next.join(',') });
  if (ids.length < 2) return <TooFew />;
  return (
    <>
      <PageHeader
        title={`Compare ${ids.length} calls`}
        actions={
          <>
            {hasMessages && (
              <label className={styles.check}>
                <input
                  type="checkbox"
                  checked={isData}
                  onChange={({ target }) => change({ view: target.checked ? 'data' : 'messages' }, { replace: true })}
                />
                As JSON
              </label>
            )}
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={isOnlyDifferent}
                onChange={({ target }) => change({ only: target.checked ? '1' : undefined }, { replace: true })}
              />
              Only differences
            </label>
          </>
        }
      />
      {failed ? (
        <ErrorMessage
          error={failed.error}
          onRetry={() => void Promise.all(queries.map((query) => query.error && query.refetch()))}
        />
      ) : [...queries, ...read].some(({ isLoading }) => isLoading) ? (
        <Loading label="Loading the calls" lines={8} />
      ) : (
        <CompareTable
          ids={ids}
          calls={calls}
          conversations={isData ? null : conversations}
          isOnlyDifferent={isOnlyDifferent}
          onFirst={(id) => setIds([id, ...ids.filter((each) => each !== id)])}
          onRemove={(id) => setIds(ids.filter((each) => each !== id))}
        />
      )}
    </>
  );
}

/** Whether all calls have messages, and one of them is a chat rather than any function of texts. */
function areChats(calls: (Call | null)[], conversations: (Conversation | null)[]): boolean {
  return (
    calls.every((call, index) => call === null || conversations[index] !== null) &&
    conversations.some((conversation) => conversation?.is_chat)
  );
}

function TooFew() {
  const project = useProject();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="Compare calls" />
      <Empty
        icon="columns"
        title="Choose calls to compare"
        actions={<Button onClick={() => void navigate({ to: projectUrl(project) })}>Choose calls</Button>}
      >
        Select two to six calls in the list of traces, then press Compare.
      </Empty>
    </>
  );
}
