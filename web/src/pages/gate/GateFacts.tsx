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
  const answers = (model: Gate['candidate']) => (
    <>
      <ComparedModel model={model} /> (
      <Link to={evaluationResultsUrl(project, [model.evaluation_call_id])}>answers</Link>)
    </>
  );
  return (
    <Facts>
      <Fact name="Candidate">{answers(gate.candidate)}</Fact>
      <Fact name="Incumbent">{answers(gate.incumbent)}</Fact>
      <Fact name="Suite">
        <Link to={gatesUrl(project, gate.suite)}>{gate.suite}</Link>
      </Fact>
      <Fact name="Threads">{`${formatCount(progress.threads)} of ${formatCount(progress.threads_max)}`}</Fact>
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
