import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerQuestion, type Loop, type Turn } from '../../api/loops.ts';
import { sessionQuery } from '../../api/session.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { useProject } from '../../features/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './Question.module.css';

/** What a turn asks before its candidate gets traffic, with the buttons for the answer. */
export function Question({ loop, turn }: { loop: Pick<Loop, 'name'>; turn: Turn }) {
  const project = useProject();
  const [reason, setReason] = useState('');
  const { data: session } = useQuery(sessionQuery);
  const send = useMutation({
    mutationFn: (answer: 'yes' | 'no') =>
      answerQuestion({ project, name: loop.name, number: turn.number }, { answer, reason: reason.trim() }),
  });
  const { question } = turn;
  if (question === null) return null;
  const { approver } = question;
  const isAsked = approver === 'anyone' || approver === session?.username;
  const isOpen = question.answer === null && !send.isSuccess;
  return (
    <section className={styles.question} aria-label={`Question of turn ${turn.number}`}>
      <h2 className={styles.text}>{question.text}</h2>
      <p className={styles.note}>
        Asked <TimeAgo time={question.asked_at} />
        {approver === 'anyone' ? '. Anyone who may write to the project can answer.' : `. Only ${approver} can answer.`}
      </p>
      {isOpen && isAsked && (
        <div className={styles.answer}>
          <TextField
            label="Reason (optional)"
            className={styles.reason ?? ''}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <Button kind="primary" icon="check" disabled={send.isPending} onClick={() => send.mutate('yes')}>
            Yes
          </Button>
          <Button icon="close" disabled={send.isPending} onClick={() => send.mutate('no')}>
            No
          </Button>
        </div>
      )}
      <FormError error={send.error} />
    </section>
  );
}
