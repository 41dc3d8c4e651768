import { Link } from '@tanstack/react-router';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { callUrl } from '../../urls.ts';
import styles from './AnswerView.module.css';
import type { Answer } from './answer.ts';
import { Tokens } from './Tokens.tsx';

/** What a model answered: text or tokens, reasoning, tool calls, an error, and a line of figures. */
export function AnswerView({ answer, onRetry }: { answer: Answer; onRetry?: (() => void) | undefined }) {
  const { state, content, reasoning, toolCalls, tokens, error } = answer;
  return (
    <div className={styles.answer} aria-busy={state === 'waiting' || state === 'streaming'}>
      {reasoning !== '' && (
        <details className={styles.reasoning} open={content === ''}>
          <summary>Reasoning</summary>
          <p>{reasoning}</p>
        </details>
      )}
      {tokens.length > 0 ? <Tokens tokens={tokens} /> : content !== '' && <p className={styles.text}>{content}</p>}
      {toolCalls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tool call is its position
        <pre key={index} className={styles.tool}>
          {call.name}({call.arguments})
        </pre>
      ))}
      {state === 'waiting' && (
        <p className={styles.note} role="status">
          Waiting for the first token …
        </p>
      )}
      {state === 'done' && content === '' && reasoning === '' && toolCalls.length === 0 && (
        <p className={styles.note}>The answer is empty.</p>
      )}
      {error !== null && <ErrorNote>{error}</ErrorNote>}
      <div className={styles.foot}>
        <Figures answer={answer} />
        {onRetry && (state === 'done' || state === 'failed' || state === 'stopped') && (
          <Button kind="quiet" icon="refresh" onClick={onRetry}>
            {state === 'failed' ? 'Try again' : 'Answer again'}
          </Button>
        )}
        {content !== '' && <CopyButton text={content} label="Copy the answer" />}
      </div>
    </div>
  );
}

function Figures({ answer }: { answer: Answer }) {
  const project = useProject();
  const { state, usage, firstMs, wholeMs, finishReason, callId } = answer;
  const seconds = firstMs === null || wholeMs === null ? 0 : (wholeMs - firstMs) / 1000;
  const parts = [
    state === 'stopped' ? 'stopped' : null,
    finishReason === 'length' ? 'cut off at the limit of tokens' : null,
    usage && `${formatCount(usage.input)} → ${formatCount(usage.output)} tokens`,
    wholeMs !== null && state !== 'failed' ? formatDuration(wholeMs) : null,
    firstMs === null ? null : `first after ${formatDuration(firstMs)}`,
    usage && usage.output > 1 && seconds > 0 ? `${formatCount((usage.output - 1) / seconds)} tokens/s` : null,
  ].filter((part) => part !== null);
  return (
    <span className={styles.figures}>
      {parts.join(' · ')}
      {callId !== null && wholeMs !== null && (
        <>
          {parts.length > 0 && ' · '}
          <Link to={callUrl(project, callId)}>trace</Link>
        </>
      )}
    </span>
  );
}
