import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { callQuery, traceQuery } from '../../api/calls.ts';
import { useProject } from '../../hooks/use-project.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { CallDetails } from './CallDetails.tsx';
import { CallSummary } from './CallSummary.tsx';
import { CallTree } from './CallTree.tsx';
import styles from './CallView.module.css';
import { treeOf } from './call-tree.ts';

/** A call: its summary, the tree of its trace, and the details of the call that is chosen there. */
export function CallView({ callId, onChoose }: { callId: string; onChoose: (callId: string) => void }) {
  const { id: projectId } = useProject();
  const { data: call, error, isPending, refetch } = useQuery(callQuery(projectId, callId));
  const [lastTrace, setLastTrace] = useState<string | null>(null);
  if (call && call.trace_id !== lastTrace) setLastTrace(call.trace_id);
  const traceId = call?.trace_id ?? lastTrace;
  const { data: calls } = useQuery({ ...traceQuery(projectId, traceId ?? ''), enabled: traceId !== null });
  const tree = useMemo(() => (calls ? treeOf(calls) : null), [calls]);
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!isPending && call === null) {
    return (
      <Empty icon="search" title="This call does not exist">
        It was deleted, or it has not arrived yet. The SDKs send calls a moment after they end.
      </Empty>
    );
  }
  return (
    <div className={styles.view}>
      {tree && tree.nodes.length > 1 && (
        <div className={styles.tree}>
          <CallTree tree={tree} activeId={callId} onChoose={onChoose} />
        </div>
      )}
      <div className={styles.details}>
        {call ? (
          <>
            <CallSummary call={call} />
            <CallDetails key={call.id} call={call} />
          </>
        ) : (
          <Loading label="Loading the call" lines={6} />
        )}
      </div>
    </div>
  );
}
