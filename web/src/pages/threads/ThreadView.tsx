import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { type Turn, turnsQuery } from '../../api/threads.ts';
import { NextPageError } from '../../components/NextPageError.tsx';
import { useWithFailures } from '../../features/call/use-with-failures.ts';
import { costText } from '../../features/cost/Cost.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { useHotkeys } from '../../hooks/use-hotkeys.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';
import styles from './ThreadView.module.css';
import { TurnView } from './TurnView.tsx';

/** A thread as a conversation. The address remembers the turn that is read. */
export function ThreadView({ threadId }: { threadId: string }) {
  const project = useProject();
  const navigate = useNavigate();
  const [{ turn: activeId }, change] = useSearchState();
  const list = useRef<HTMLOListElement>(null);
  const query = useInfiniteQuery(turnsQuery(project.id, threadId));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage } = query;
  const turns = useMemo(() => unique(data?.pages.flat() ?? []), [data]);
  const calls = useWithFailures(
    project.id,
    useMemo(() => turns.map(({ call }) => call), [turns]),
  );
  const activeIndex = turns.findIndex(({ call }) => call.id === activeId);
  const isMoreReady = canLoadMore(query);
  // The turn of a link may be on a page that was not loaded yet.
  const isSought = activeId !== undefined && activeIndex < 0;
  useEffect(() => {
    if (isSought && isMoreReady) void fetchNextPage();
  }, [isSought, isMoreReady, fetchNextPage]);
  useEffect(() => {
    const element = list.current?.children[activeIndex];
    if (!(element instanceof HTMLElement)) return;
    element.scrollIntoView({ block: 'start' });
    element.focus({ preventScroll: true });
  }, [activeIndex]);
  const move = (step: number) => {
    const next = turns[Math.max(0, activeIndex + step)];
    if (next) change({ turn: next.call.id }, { replace: true });
    else if (isMoreReady) void fetchNextPage();
  };
  useHotkeys({ n: () => move(1), p: () => move(-1) });

  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isPending) return <Loading label="Loading the thread" lines={6} />;
  if (turns.length === 0) {
    return (
      <Empty
        icon="threads"
        title="This thread has no turns"
        actions={<Button onClick={() => change({ thread: undefined, turn: undefined })}>Show all threads</Button>}
      >
        Its calls were deleted, or none of them says that it is a turn.
      </Empty>
    );
  }
  return (
    <div className={styles.thread}>
      <header className={styles.head}>
        <p className={styles.facts}>{hasNextPage ? `${formatCount(turns.length)}+ turns` : totalsOf(turns)}</p>
        <Button kind="quiet" icon="arrowUp" disabled={activeIndex <= 0} onClick={() => move(-1)}>
          Previous turn <Kbd>P</Kbd>
        </Button>
        <Button kind="quiet" icon="arrowDown" disabled={activeIndex === turns.length - 1} onClick={() => move(1)}>
          Next turn <Kbd>N</Kbd>
        </Button>
      </header>
      <ol ref={list} className={styles.turns} aria-label="Turns">
        {turns.map((turn, index) => (
          <TurnView
            key={turn.call.id}
            turn={{ ...turn, call: calls[index]! }}
            before={turns[index - 1]?.conversation ?? null}
            number={index + 1}
            isActive={index === activeIndex}
            onOpen={() => void navigate({ to: callUrl(project, turn.call.id) })}
          />
        ))}
      </ol>
      {hasNextPage && (
        <div className={styles.more}>
          {query.isFetchNextPageError ? (
            <NextPageError query={query} />
          ) : (
            <Button disabled={!isMoreReady} onClick={() => void fetchNextPage()}>
              Show more turns
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function totalsOf(turns: Turn[]): string {
  const tokens = turns.reduce((sum, turn) => sum + (turn.tokens?.total ?? 0), 0);
  const costs = turns.flatMap(({ cost }) => cost ?? []);
  const unpriced = {
    models: [...new Set(turns.flatMap((turn) => turn.unpriced.models))],
    isAtLeast: turns.some((turn) => turn.unpriced.isAtLeast),
    isEstimate: turns.some((turn) => turn.unpriced.isEstimate),
  };
  return [
    `${formatCount(turns.length)} ${turns.length === 1 ? 'turn' : 'turns'}`,
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(costs.length > 0 || unpriced.isAtLeast
      ? [costText(costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null, unpriced)]
      : []),
  ].join(' · ');
}

/** A turn that arrives late moves those after it to the next page. */
function unique(turns: Turn[]): Turn[] {
  return [...new Map(turns.map((turn) => [turn.call.id, turn])).values()];
}
