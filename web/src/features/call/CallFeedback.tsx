import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { AnswerOf, RequestOf } from '../../api/contract.ts';
import { readAgain } from '../../api/read-again.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { recordOf } from '../../format/json.ts';
import { previewOf } from '../../format/preview.ts';
import { refOfCall } from '../../refs.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { notifyError } from '../../ui/Toasts.tsx';
import { AddToQueue } from '../queue/AddToQueue.tsx';
import { useProject } from '../use-project.ts';
import styles from './CallFeedback.module.css';

type Feedback = AnswerOf<'POST /feedback/query'>['result'][number];

/** What people and scorers said of a call, and the fields to add a reaction or a note. */
export function CallFeedback({ callId }: { callId: string }) {
  const { id: projectId } = useProject();
  const ref = refOfCall(projectId, callId);
  const queryKey = ['feedback', projectId, ref];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask('POST /feedback/query', { body: feedbackOn(projectId, ref) }, { signal }),
  });
  const onSuccess = () => readAgain({ queryKey });
  const add = useMutation({
    mutationFn: ({ type, payload }: { type: string; payload: Record<string, string> }) =>
      ask('POST /feedback/create', {
        body: {
          project_id: projectId,
          weave_ref: ref,
          feedback_type: type,
          payload,
        } as RequestOf<'POST /feedback/create'>['body'],
      }),
    onSuccess,
    onError: notifyError,
  });
  const remove = useMutation({
    mutationFn: (id: string) =>
      ask('POST /feedback/purge', {
        body: { project_id: projectId, query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: id }] } } },
      }),
    onSuccess,
    onError: notifyError,
  });
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  return (
    <div className={styles.feedback}>
      <div className={styles.reactions}>
        {reactions.map(([emoji, meaning]) => (
          <Button
            key={emoji}
            aria-label={`React: ${meaning}`}
            onClick={() => add.mutate({ type: 'wandb.reaction.1', payload: { emoji } })}
          >
            {emoji}
          </Button>
        ))}
        <AddToQueue callIds={[callId]} />
      </div>
      <NoteForm onAdd={(note) => add.mutateAsync({ type: 'wandb.note.1', payload: { note } })} />
      {!data ? (
        <Loading label="Loading feedback" />
      ) : data.result.length === 0 ? (
        <Empty icon="heart" title="No feedback yet">
          Scorers, annotators and people who react to this call are listed here.
        </Empty>
      ) : (
        <ul className={styles.list} aria-label="Feedback">
          {data.result.map((each) => (
            <Line key={String(each.id)} feedback={each} onRemove={() => remove.mutate(String(each.id))} />
          ))}
        </ul>
      )}
    </div>
  );
}

const reactions = [
  ['👍', 'good'],
  ['👎', 'bad'],
  ['❤️', 'love'],
  ['🚩', 'look at this'],
] as const;

/** The error is shown as a notice. */
const keepNote = () => {};

function NoteForm({ onAdd }: { onAdd: (note: string) => Promise<unknown> }) {
  const [note, setNote] = useState('');
  return (
    <form
      className={styles.note}
      onSubmit={(event) => {
        event.preventDefault();
        if (note.trim() !== '') onAdd(note.trim()).then(() => setNote(''), keepNote);
      }}
    >
      <TextField
        label="Note"
        isLabelHidden
        placeholder="Write a note about this call"
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <Button type="submit" disabled={note.trim() === ''}>
        Add note
      </Button>
    </form>
  );
}

function Line({ feedback, onRemove }: { feedback: Feedback; onRemove: () => void }) {
  const { title, text } = described(String(feedback.feedback_type), recordOf(feedback.payload));
  return (
    <li className={styles.line}>
      <span className={styles.title}>{title}</span>
      <span className={styles.text}>{text}</span>
      <span className={styles.time}>
        {feedback.creator ? `${feedback.creator} · ` : ''}
        <TimeAgo time={String(feedback.created_at)} />
      </span>
      <IconButton label={`Remove ${title}`} icon="trash" onClick={onRemove} />
    </li>
  );
}

function described(type: string, payload: Record<string, unknown>): { title: string; text: string } {
  if (type === 'wandb.reaction.1') return { title: 'Reaction', text: String(payload.emoji ?? '') };
  if (type === 'wandb.note.1') return { title: 'Note', text: String(payload.note ?? '') };
  const [, kind, name] = /^wandb\.(runnable|annotation)\.(.+)$/.exec(type) ?? [];
  if (kind === 'runnable') return { title: `Scorer ${name}`, text: previewOf(payload.output) };
  if (kind === 'annotation') return { title: `Annotation ${name}`, text: previewOf(payload.value) };
  return { title: type, text: previewOf(payload) };
}

function feedbackOn(projectId: string, ref: string) {
  return {
    project_id: projectId,
    query: { $expr: { $eq: [{ $getField: 'weave_ref' }, { $literal: ref }] } },
    sort_by: [{ field: 'created_at', direction: 'desc' as const }],
    limit: 200,
  };
}
