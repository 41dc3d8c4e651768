import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type CallStatus,
  callTitle,
  durationOf,
  exceptionLine,
  modelsOf,
  type Spending,
  spendingOf,
} from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { conversationQuery } from '../../api/conversations.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { playgroundUrl, projectUrl } from '../../urls.ts';
import { Cost } from '../cost/Cost.tsx';
import { SetPrice } from '../cost/SetPrice.tsx';
import { useProject } from '../use-project.ts';
import { CallStatusMark } from './CallStatusMark.tsx';
import styles from './CallSummary.module.css';

type CallSummaryProps = {
  call: Call;
  status: CallStatus;
  /** What all calls of the trace use, if the call represents it. */
  ofTrace?: Spending | null;
};

/** One line of what matters about a call. */
export function CallSummary({ call, status, ofTrace = null }: CallSummaryProps) {
  const duration = durationOf(call);
  const { tokens, cost, unpriced } = ofTrace ?? spendingOf(call);
  const whole = ofTrace ? ' of the trace' : '';
  const models = modelsOf(call);
  const project = useProject();
  const { conversation } = useQuery(conversationQuery(project.id, call)).data ?? {};
  return (
    <header className={styles.summary}>
      <div className={styles.first}>
        <h2 className={styles.name}>{callTitle(call)}</h2>
        <CallStatusMark status={status} exception={call.exception ?? null} isWordy />
        {conversation?.is_chat && conversation.input.length > 0 && (
          <Link className={styles.playground} to={playgroundUrl(project)} search={{ call: call.id } as never}>
            <Icon name="chat" /> Open in playground
          </Link>
        )}
      </div>
      <Facts>
        <Fact name="Duration">{duration === null ? 'running' : formatDuration(duration)}</Fact>
        {tokens && (
          <Fact name={`Tokens${whole}`} title={`${formatCount(tokens.input)} in, ${formatCount(tokens.output)} out`}>
            {formatCount(tokens.input)} → {formatCount(tokens.output)}
          </Fact>
        )}
        {(cost !== null || unpriced.isAtLeast) && (
          <Fact name={`Cost${whole}`}>
            <Cost cost={cost} unpriced={unpriced} /> <SetPrice models={unpriced.models} />
          </Fact>
        )}
        {models.length > 0 && <Fact name={models.length === 1 ? 'Model' : 'Models'}>{models.join(', ')}</Fact>}
        <Fact name="Started">
          <TimeAgo time={call.started_at} />
        </Fact>
        {call.thread_id && (
          <Fact name="Thread">
            <Link
              to={projectUrl(project, 'threads')}
              search={{ thread: call.thread_id, turn: call.turn_id ?? undefined } as never}
            >
              {call.thread_id}
            </Link>
          </Fact>
        )}
      </Facts>
      {call.exception && <ErrorNote isAnnounced={false}>{exceptionLine(call.exception)}</ErrorNote>}
    </header>
  );
}
