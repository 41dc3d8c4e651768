import type { Annotation } from '../../api/annotations.ts';
import type { Question } from '../../api/questions.ts';
import type { QueueItem } from '../../api/queues.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { writeJson } from '../../format/json.ts';
import { opTitle, refOfCall } from '../../refs.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { isUnanimous } from './agreement.ts';
import { answerText } from './answer-text.ts';
import styles from './Results.module.css';

const states = {
  unstarted: { tone: 'neutral', label: 'waiting' },
  in_progress: { tone: 'accent', label: 'in progress' },
  completed: { tone: 'success', label: 'annotated' },
  skipped: { tone: 'neutral', label: 'skipped' },
} as const;

export function resultColumns(
  projectId: string,
  questions: Question[],
  annotations: Annotation[],
): TableColumn<QueueItem>[] {
  const byPlace = Map.groupBy(annotations, ({ callRef, name }) => writeJson([callRef, name]));
  return [
    { id: 'position', title: '#', width: 60, align: 'end', cell: ({ position_in_queue }) => position_in_queue },
    { id: 'call', title: 'Call', width: 190, cell: ({ call_op_name }) => <span>{opTitle(call_op_name)}</span> },
    {
      ...{ id: 'state', title: 'State', width: 110 },
      cell: ({ annotation_state }) => (
        <Badge tone={states[annotation_state].tone}>{states[annotation_state].label}</Badge>
      ),
    },
    ...questions.map(
      (question): TableColumn<QueueItem> => ({
        id: question.ref,
        title: <span title={question.title}>{question.title}</span>,
        width: 220,
        cell: ({ call_id }) => (
          <Answers
            question={question}
            answers={byPlace.get(writeJson([refOfCall(projectId, call_id), question.name])) ?? []}
          />
        ),
      }),
    ),
    { id: 'added', title: 'Added', width: 110, align: 'end', cell: ({ created_at }) => <TimeAgo time={created_at} /> },
  ];
}

/** One answer if annotators agree, otherwise who answered what. */
function Answers({ question, answers }: { question: Question; answers: Annotation[] }) {
  if (answers.length === 0) return <span>–</span>;
  const each = answers.map(({ annotator, value }) => `${annotator}: ${answerText(question, value)}`).join('\n');
  if (isUnanimous(answers.map(({ value }) => value))) {
    const count = answers.length > 1 ? ` (${answers.length} annotators)` : '';
    return <span title={each}>{answerText(question, answers[0]!.value) + count}</span>;
  }
  return (
    <>
      <span className={styles.differs}>
        <Icon name="error" size={14} />
      </span>
      <span title={each}>{each.replaceAll('\n', ' · ')}</span>
      <span className="visually-hidden">(annotators differ)</span>
    </>
  );
}
