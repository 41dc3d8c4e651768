import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { loopQuery, type Turn } from '../../api/loops.ts';
import { isMissing } from '../../api/missing.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { NextTurn, scheduleText } from '../../features/loop/NextTurn.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { loopsUrl } from '../../urls.ts';
import { LoopActions } from './LoopActions.tsx';
import styles from './LoopPage.module.css';
import { Plan } from './Plan.tsx';
import { Question } from './Question.tsx';
import { Turns } from './Turns.tsx';
import { TurnView } from './TurnView.tsx';

/** A loop: its question to a person, the chosen turn, all turns and the plan. */
export function Page() {
  const project = useProject();
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const [search, change] = useSearchState();
  usePageTitle(name, 'Loops', project.project);
  const { data: loop, error, refetch } = useQuery(loopQuery(project, name));
  if (error && !loop) return isMissing(error) ? <NoLoop /> : <ErrorMessage error={error} onRetry={refetch} />;
  if (!loop) return <Loading label="Loading the loop" lines={8} />;
  const { turns } = loop;
  const chosen = chosenTurn(turns, search.turn);
  const asking = turns.find(({ phase }) => phase === 'asking');
  return (
    <>
      <PageHeader title={loop.name} actions={<LoopActions loop={loop} />}>
        {loop.paused_at !== null && <Badge tone="warning">paused</Badge>}
      </PageHeader>
      <div className={styles.page}>
        {loop.paused_at !== null && (
          <p className={styles.paused}>
            Paused <TimeAgo time={loop.paused_at} />
            {loop.paused_reason ? `: ${loop.paused_reason}` : ''}
          </p>
        )}
        <Facts>
          <Fact name="Schedule">{scheduleText(loop.plan.every_hours)}</Fact>
          <Fact name="Next turn">
            <NextTurn loop={loop} />
          </Fact>
          <Fact name="Made">
            <TimeAgo time={loop.created_at} /> by {loop.created_by}
          </Fact>
        </Facts>
        {asking && <Question key={`question ${asking.id}`} loop={loop} turn={asking} />}
        {chosen ? (
          <TurnView key={`turn ${chosen.id}`} loop={loop} turn={chosen} />
        ) : (
          <p className={styles.note}>No turn has begun yet. Start one, or wait for its time.</p>
        )}
        {turns.length > 0 && (
          <Turns turns={turns} chosen={chosen} onChoose={(number) => change({ turn: String(number) })} />
        )}
        <Plan plan={loop.plan} />
      </div>
    </>
  );
}

/** The one of the address; otherwise the newest that has begun. */
function chosenTurn(turns: Turn[], number: string | undefined): Turn | undefined {
  const named = turns.find((turn) => String(turn.number) === number);
  return named ?? turns.find(({ phase }) => phase !== 'waiting') ?? turns[0];
}

function NoLoop() {
  const project = useProject();
  return (
    <Empty icon="search" title="This loop does not exist" actions={<Link to={loopsUrl(project)}>Show all loops</Link>}>
      It was deleted, or the address is of another project.
    </Empty>
  );
}
