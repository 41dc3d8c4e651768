import { Link } from '@tanstack/react-router';
import { statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { CallSummary } from '../../features/call/CallSummary.tsx';
import { useProject } from '../../features/use-project.ts';
import { IconButton } from '../../ui/Button.tsx';
import { callUrl } from '../../urls.ts';
import styles from './ComparePage.module.css';

type ComparedCallProps = {
  id: string;
  call: Call | null;
  isFirst: boolean;
  onFirst: () => void;
  onRemove: () => void;
};

/** The head of a column: the summary of a call. */
export function ComparedCall({ id, call, isFirst, onFirst, onRemove }: ComparedCallProps) {
  const project = useProject();
  return (
    <>
      <div className={styles.actions}>
        {call && <Link to={callUrl(project, id)}>Open</Link>}
        <span className={styles.note}>{isFirst ? 'Others are compared with this call' : ''}</span>
        {!isFirst && <IconButton label="Compare others with this call" icon="arrowLeft" onClick={onFirst} />}
        <IconButton label="Remove from the comparison" icon="close" onClick={onRemove} />
      </div>
      {call ? (
        <CallSummary call={call} status={statusOf(call)} />
      ) : (
        <p className={styles.missing} role="alert">
          This call does not exist: <code>{id}</code>
        </p>
      )}
    </>
  );
}
