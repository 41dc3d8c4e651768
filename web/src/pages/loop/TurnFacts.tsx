import { Link } from '@tanstack/react-router';
import type { LoopWithTurns, Turn } from '../../api/loops.ts';
import { FactLine, FactList } from '../../components/FactList.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { TimeUntil } from '../../components/TimeUntil.tsx';
import { GateState } from '../../features/gate/GateState.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatDuration, formatPercent } from '../../format/numbers.ts';
import { useNow } from '../../hooks/use-now.ts';
import { ShareBar } from '../../ui/ShareBar.tsx';
import { gateUrl, policiesUrl, trainedModelUrl, trainingJobUrl } from '../../urls.ts';
import { trainedName } from './plan-text.ts';
import styles from './TurnView.module.css';

/** What a turn has made, with links to it. */
export function TurnFacts({ loop, turn }: { loop: LoopWithTurns; turn: Turn }) {
  const project = useProject();
  const now = useNow();
  const { started_at: startedAt, ended_at: endedAt, candidate, question, rollout } = turn;
  const model = candidate === null ? loop.plan.model : (trainedName(candidate).split(':')[0] ?? loop.plan.model);
  return (
    <FactList>
      {startedAt === null ? (
        <FactLine name="Begins">
          <TimeUntil time={new Date(turn.starts_at)} />
        </FactLine>
      ) : (
        <FactLine name="Began">
          <TimeAgo time={startedAt} />, {endedAt === null ? 'for' : 'took'}{' '}
          {formatDuration(Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)))}
        </FactLine>
      )}
      {turn.incumbent !== null && <FactLine name="Model in use before">{trainedName(turn.incumbent)}</FactLine>}
      {turn.training_job_id !== null && (
        <FactLine name="Training">
          <Link to={trainingJobUrl(project, { model, id: turn.training_job_id })}>job of {model}</Link>
        </FactLine>
      )}
      {candidate !== null && (
        <FactLine name="Candidate">
          <Link to={`${trainedModelUrl(project, model)}&tab=checkpoints`} title={candidate}>
            {trainedName(candidate)}
          </Link>
        </FactLine>
      )}
      {turn.gate_id !== null && (
        <FactLine name="Gate">
          <Link to={gateUrl(project, turn.gate_id)}>evidence</Link>{' '}
          {(turn.verdict !== null || turn.phase === 'testing') && <GateState state="running" verdict={turn.verdict} />}
        </FactLine>
      )}
      {question?.answer && (
        <FactLine name="Answer">
          {question.answer}, by {question.answered_by ?? 'somebody'}
          {question.answered_at && (
            <>
              {' '}
              <TimeAgo time={question.answered_at} />
            </>
          )}
          {question.reason ? `: ${question.reason}` : ''}
        </FactLine>
      )}
      {rollout !== null && (
        <FactLine name="Policy">
          <Link to={policiesUrl(project, rollout.policy)}>{rollout.policy}</Link>, version {rollout.version} (before the
          turn: {rollout.version_before})
        </FactLine>
      )}
      {rollout !== null && (
        <FactLine name="Stage">
          <Stage rollout={rollout} isOpen={turn.phase !== 'ended'} units={loop.plan.rollout.units ?? 0} />
        </FactLine>
      )}
      {turn.undone_at !== null && (
        <FactLine name="Undone">
          <TimeAgo time={turn.undone_at} /> by {turn.undone_by}
        </FactLine>
      )}
    </FactList>
  );
}

type StageProps = { rollout: NonNullable<Turn['rollout']>; isOpen: boolean; units: number };

/** The share of the candidate, and how much of the stage is over. */
function Stage({ rollout: { stage, stages, stage_began_at: beganAt, counted }, isOpen, units }: StageProps) {
  if (stage === 0) return 'none yet';
  if (stage > stages.length) return 'all traffic';
  return (
    <span className={styles.share}>
      <span>
        {stage} of {stages.length}: {formatPercent(stages[stage - 1]!)} of the traffic, since <TimeAgo time={beganAt} />
      </span>
      {counted !== null && isOpen && (
        <>
          <ShareBar share={units === 0 ? 1 : counted / units} width={90} />
          <span>
            {formatCount(counted)} of {formatCount(units)} units counted
          </span>
        </>
      )}
    </span>
  );
}
