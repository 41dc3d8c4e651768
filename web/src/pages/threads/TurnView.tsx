import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { callTitle, durationOf, statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import type { Conversation } from '../../api/conversations.ts';
import type { Turn } from '../../api/threads.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { CallStatusMark } from '../../features/call/CallStatusMark.tsx';
import { ExceptionView } from '../../features/call/ExceptionView.tsx';
import { ConversationView } from '../../features/chat/ConversationView.tsx';
import { Cost } from '../../features/cost/Cost.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { callUrl } from '../../urls.ts';
import styles from './TurnView.module.css';
import { type TurnMessages, turnMessages } from './turn-messages.ts';

type TurnViewProps = {
  turn: Turn;
  /** The conversation of the turn before: its messages are not shown again. */
  before: Conversation | null;
  number: number;
  isActive: boolean;
  onOpen: () => void;
};

/** The messages of a turn, with its duration, tokens and cost. Enter opens its call. */
export function TurnView({
  turn: { call, conversation, tokens, cost, unpriced },
  before,
  number,
  isActive,
  onOpen,
}: TurnViewProps) {
  const project = useProject();
  const messages = useMemo(() => turnMessages(conversation, before), [conversation, before]);
  const duration = durationOf(call);
  return (
    <li
      className={styles.turn}
      aria-label={`Turn ${number}`}
      aria-current={isActive}
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && onOpen()}
    >
      <header className={styles.head}>
        <span className={styles.number}>{number}</span>
        <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} />
        <Link to={callUrl(project, call.id)} className={styles.name} title="Open the call (Enter)">
          {callTitle(call)}
        </Link>
        <span className={styles.facts}>
          <span>{duration === null ? 'running' : formatDuration(duration)}</span>
          {tokens && (
            <span title={`${formatCount(tokens.input)} in, ${formatCount(tokens.output)} out`}>
              {formatCount(tokens.total)} tokens
            </span>
          )}
          {(cost !== null || unpriced.isAtLeast) && <Cost cost={cost} unpriced={unpriced} />}
          <TimeAgo time={call.started_at} />
        </span>
      </header>
      {messages ? <Messages messages={messages} /> : <Payloads call={call} />}
      {call.exception && <ExceptionView exception={call.exception} />}
    </li>
  );
}

function Messages({ messages: { earlier, added } }: { messages: TurnMessages }) {
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      {earlier.length > 0 && !isWhole && (
        <button type="button" className={styles.earlier} onClick={() => setIsWhole(true)}>
          Show the {earlier.length === 1 ? 'earlier message' : `${earlier.length} earlier messages`} that it was sent
          with
        </button>
      )}
      <ConversationView conversation={isWhole ? { ...added, input: [...earlier, ...added.input] } : added} />
    </>
  );
}

function Payloads({ call: { inputs, output } }: { call: Call }) {
  return (
    <>
      <JsonViewer label="Inputs" root={inputsPath} value={inputs} />
      {output != null && <JsonViewer label="Output" root={outputPath} value={output} />}
    </>
  );
}

const [inputsPath, outputPath] = [['inputs'], ['output']];
