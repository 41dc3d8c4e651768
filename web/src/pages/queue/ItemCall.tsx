import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { callTitle, durationOf, statusOf } from '../../api/call-fields.ts';
import { type Call, callQuery } from '../../api/calls.ts';
import { conversationQuery } from '../../api/conversations.ts';
import type { QueueItem } from '../../api/queues.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { CallStatusMark } from '../../features/call/CallStatusMark.tsx';
import { ExceptionView } from '../../features/call/ExceptionView.tsx';
import { valueAt } from '../../features/call/field-paths.ts';
import { ConversationView } from '../../features/chat/ConversationView.tsx';
import { MediaList } from '../../features/chat/MediaList.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatDuration } from '../../format/numbers.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';
import styles from './Annotate.module.css';

/** The call of an item: the fields that annotators should see, or all of it. */
export function ItemCall({ item }: { item: QueueItem }) {
  const project = useProject();
  const {
    data: call,
    error,
    isPending,
    refetch,
  } = useQuery({ ...callQuery(project.id, item.call_id), staleTime: 60_000 });
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isPending) {
    return (
      <div className={styles.call}>
        <Loading label="Loading the call" lines={6} />
      </div>
    );
  }
  if (!call) {
    return (
      <div className={styles.call}>
        <Empty icon="search" title="This call was deleted">
          Skip it.
        </Empty>
      </div>
    );
  }
  const duration = durationOf(call);
  return (
    <article className={styles.call} aria-label="Call">
      <header className={styles.head}>
        <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} />
        <Link to={callUrl(project, call.id)} target="_blank">
          {callTitle(call)}
        </Link>
        <span className={styles.facts}>
          {duration === null ? 'running' : formatDuration(duration)} · <TimeAgo time={call.started_at} />
        </span>
      </header>
      {item.display_fields.length > 0 ? (
        item.display_fields.map((field) => (
          <JsonViewer key={field} label={field} openDepth={4} value={valueAt(call, field) ?? null} />
        ))
      ) : (
        <Payloads call={call} />
      )}
      {call.exception && <ExceptionView exception={call.exception} />}
    </article>
  );
}

function Payloads({ call }: { call: Call }) {
  const project = useProject();
  const { data, isPending } = useQuery(conversationQuery(project.id, call));
  if (isPending) return <Loading label="Loading the messages" lines={6} />;
  if (data?.conversation?.is_chat) return <ConversationView conversation={data.conversation} />;
  const { inputs, output } = call;
  return (
    <>
      <MediaList media={data?.media ?? []} />
      <JsonViewer label="Inputs" value={inputs} />
      <JsonViewer label="Output" value={output ?? null} />
    </>
  );
}
