import { Link } from '@tanstack/react-router';
import type { Gate } from '../../api/gates.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { ComparedModel } from '../../features/gate/ComparedModel.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { useNow } from '../../hooks/use-now.ts';
import { evaluationResultsUrl, gatesUrl } from '../../urls.ts';

/** What was compared, and how far the gate is. */
export function GateFacts({ gate }: { gate: Gate }) {
  const project = useProject();
  const now = useNow();
  const { progress, started_at: startedAt, ended_at: endedAt } = gate;
  const answers = (side: 'candidate' | 'incumbent') => (
    <>
      <ComparedModel gate={gate} side={side} /> (
      <Link to={evaluationResultsUrl(project, [gate[side].evaluation_call_id])}>answers</Link>)
    </>
  );
  return (
    <Facts>
      <Fact name="Candidate">{answers('candidate')}</Fact>
      <Fact name="Incumbent">{answers('incumbent')}</Fact>
      <Fact name="Suite">
        <Link to={gatesUrl(project, gate.suite)}>{gate.suite}</Link>
      </Fact>
      <Fact name="Threads">{threadsText(gate)}</Fact>
      <Fact name="Rows">{formatCount(progress.rows)}</Fact>
      {startedAt !== null && (
        <Fact name="Duration">
          {formatDuration(Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)))}
        </Fact>
      )}
      <Fact name="Created">
        <TimeAgo time={gate.created_at} />
      </Fact>
    </Facts>
  );
}

/** Only clean threads count; the others are compared beside them. */
function threadsText({ progress: { target, threads, threads_max: most, target_of_all: all } }: Gate): string {
  const others =
    all === null || threads === target.threads
      ? ''
      : ` and ${formatCount(threads - target.threads)} that are not clean`;
  return `${formatCount(target.threads)} of ${formatCount(most)}${others}`;
}
