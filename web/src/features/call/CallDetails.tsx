import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/calls.ts';
import { type CallConversation, conversationQuery } from '../../api/conversations.ts';
import type { LeafAction } from '../../components/json/JsonNode.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { pathText } from '../../components/json/json-paths.ts';
import { recordOf } from '../../format/json.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { parseObjectRef } from '../../refs.ts';
import { Loading } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { ConversationView } from '../chat/ConversationView.tsx';
import { MediaList } from '../chat/MediaList.tsx';
import { useProject } from '../use-project.ts';
import styles from './CallDetails.module.css';
import { CallFeedback } from './CallFeedback.tsx';
import { CallLineage } from './CallLineage.tsx';
import { CallUses } from './CallUses.tsx';
import { conditionText } from './condition.ts';
import { ExceptionView } from './ExceptionView.tsx';
import { OpCode } from './OpCode.tsx';
import { SpanRules } from './SpanRules.tsx';

type CallDetailsProps = { call: Call; onFilter: (condition: string) => void };

/** The views of one call; the address remembers which is open. */
export function CallDetails({ call, onFilter }: CallDetailsProps) {
  const [search, change] = useSearchState();
  const project = useProject();
  // If the messages cannot be read, the data is shown.
  const { data, isPending } = useQuery(conversationQuery(project.id, call));
  const filterBy: LeafAction = {
    title: 'Filter traces by this value',
    icon: 'filter',
    run: (path, value) => onFilter(conditionText(pathText(path), value)),
  };
  const op = parseObjectRef(call.op_name);
  const isSpan = 'otel_span' in recordOf(call.attributes);
  if (isPending) return <Loading label="Loading the messages" lines={6} />;
  const { conversation = null, media = [] } = data ?? {};
  const chat = conversation && {
    id: 'chat',
    title: 'Conversation',
    content: (
      <Body>
        <ConversationView conversation={conversation} />
      </Body>
    ),
  };
  const payloads = { id: 'data', title: 'Data', content: <Data call={call} media={media} filterBy={filterBy} /> };
  const tabs = [
    ...(chat && conversation?.is_chat ? [chat, payloads] : chat ? [payloads, chat] : [payloads]),
    { id: 'attributes', title: 'Attributes', content: <Attributes call={call} filterBy={filterBy} /> },
    {
      id: 'feedback',
      title: 'Feedback',
      content: (
        <Body>
          <CallFeedback callId={call.id} />
        </Body>
      ),
    },
    {
      id: 'uses',
      title: 'Uses',
      content: (
        <Body>
          <CallUses callId={call.id} />
        </Body>
      ),
    },
    {
      id: 'lineage',
      title: 'Lineage',
      content: (
        <Body>
          <CallLineage callId={call.id} />
        </Body>
      ),
    },
    ...(op?.kind === 'ops'
      ? [
          {
            id: 'code',
            title: 'Code',
            content: (
              <Body>
                <OpCode op={op} />
              </Body>
            ),
          },
        ]
      : []),
    ...(isSpan
      ? [
          {
            id: 'span',
            title: 'Span',
            content: (
              <Body>
                <SpanRules callId={call.id} />
              </Body>
            ),
          },
        ]
      : []),
  ];
  const value = tabs.some(({ id }) => id === search.tab) ? search.tab! : tabs[0]!.id;
  return (
    <Tabs label="Views of the call" tabs={tabs} value={value} onChange={(tab) => change({ tab }, { replace: true })} />
  );
}

type DataProps = { call: Call; media: CallConversation['media']; filterBy: LeafAction };

function Data({ call, media, filterBy }: DataProps) {
  return (
    <Body>
      {call.exception && <ExceptionView exception={call.exception} />}
      <MediaList media={media} />
      <JsonViewer label="Inputs" root={inputsPath} value={call.inputs} leafAction={filterBy} />
      <JsonViewer label="Output" root={outputPath} value={call.output ?? null} leafAction={filterBy} />
    </Body>
  );
}

function Attributes({ call, filterBy }: { call: Call; filterBy: LeafAction }) {
  const { id, trace_id, parent_id, thread_id, turn_id, op_name, started_at, ended_at, wb_user_id, wb_run_id } = call;
  const identity = {
    id,
    trace_id,
    parent_id,
    thread_id,
    turn_id,
    op_name,
    started_at,
    ended_at,
    wb_user_id,
    wb_run_id,
  };
  return (
    <Body>
      <JsonViewer label="Attributes" root={attributesPath} value={call.attributes} leafAction={filterBy} />
      <JsonViewer label="Summary" root={summaryPath} value={call.summary ?? null} leafAction={filterBy} />
      <JsonViewer label="Identity" value={identity} leafAction={filterBy} />
    </Body>
  );
}

const [inputsPath, outputPath, attributesPath, summaryPath] = [['inputs'], ['output'], ['attributes'], ['summary']];

function Body({ children }: { children: React.ReactNode }) {
  return <div className={styles.body}>{children}</div>;
}
