import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useMemo, useState } from 'react';
import { statusOf } from '../../api/call-fields.ts';
import { callQuery, longTraceQuery, traceQuery } from '../../api/calls.ts';
import { traceUsageQuery } from '../../api/trace-usage.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { projectUrl } from '../../urls.ts';
import { useProject } from '../use-project.ts';
import { CallDetails } from './CallDetails.tsx';
import { CallSummary } from './CallSummary.tsx';
import { CallTree } from './CallTree.tsx';
import styles from './CallView.module.css';
import { isTopmost, statusInTree, treeOf } from './call-tree.ts';

type CallViewProps = {
  callId: string;
  onChoose: (callId: string) => void;
  /** Filters the list by a condition that a value of the call meets. */
  onFilter: (condition: string) => void;
};

/** A call: its summary, the tree of its trace, and the details of the call that is chosen there. */
export function CallView({ callId, onChoose, onFilter }: CallViewProps) {
  const project = useProject();
  const projectId = project.id;
  const { data: call, error, isPending, refetch } = useQuery(callQuery(projectId, callId));
  const [lastTrace, setLastTrace] = useState<string | null>(null);
  if (call && call.trace_id !== lastTrace) setLastTrace(call.trace_id);
  const traceId = call?.trace_id ?? lastTrace;
  const { data: first } = useQuery({ ...traceQuery(projectId, traceId ?? ''), enabled: traceId !== null });
  const isLong = first?.isWhole === false;
  const { data: all } = useQuery({ ...longTraceQuery(projectId, traceId ?? ''), enabled: isLong });
  const calls = (isLong && all) || first?.calls;
  const tree = useMemo(() => (calls ? treeOf(calls) : null), [calls]);
  const node = tree?.byId.get(callId);
  const size = tree?.nodes.length ?? 0;
  const isTraceShown = tree !== null && node !== undefined && size > 1 && isTopmost(tree, node);
  const { data: usage } = useQuery({
    ...traceUsageQuery(projectId, { id: traceId ?? '', callId, size }),
    enabled: isTraceShown,
  });
  const ofTrace = isTraceShown ? (usage?.spending ?? null) : null;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!isPending && call === null) {
    return (
      <Empty
        icon="search"
        title="This call does not exist"
        actions={<Link to={projectUrl(project)}>Show all traces</Link>}
      >
        It was deleted, or it has not arrived yet. The SDKs send calls a moment after they end.
      </Empty>
    );
  }
  return (
    <div className={styles.view}>
      {tree && tree.nodes.length > 1 && (
        <div className={styles.tree} style={{ '--calls': tree.nodes.length } as CSSProperties}>
          <CallTree tree={tree} isWhole={!isLong || all !== undefined} activeId={callId} onChoose={onChoose} />
        </div>
      )}
      <div className={styles.details}>
        {call ? (
          <>
            <CallSummary call={call} status={node ? statusInTree(node) : statusOf(call)} ofTrace={ofTrace} />
            <CallDetails key={call.id} call={call} onFilter={onFilter} />
          </>
        ) : (
          <Loading label="Loading the call" lines={6} />
        )}
      </div>
    </div>
  );
}
