import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { allQuestionsQuery, publishQuestion } from '../../api/questions.ts';
import type { Queue } from '../../api/queues.ts';
import { readAgain } from '../../api/read-again.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { useProject } from '../use-project.ts';
import { NewQuestions } from './NewQuestions.tsx';
import styles from './QueueDialog.module.css';
import { faultOf, type NewQuestion, schemaOf } from './question-kinds.ts';

type QueueDialogProps = {
  /** The queue to change; null for a new one. */
  queue: Queue | null;
  onClose: () => void;
  onSaved: (queueId: string) => void;
};

/** Makes a queue with its questions, or changes one. */
export function QueueDialog({ queue, onClose, onSaved }: QueueDialogProps) {
  const { id: projectId } = useProject();
  const { data: questions = [] } = useQuery(allQuestionsQuery(projectId));
  const [name, setName] = useState(queue?.name ?? '');
  const [description, setDescription] = useState(queue?.description ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(queue?.scorer_refs ?? []);
  const [added, setAdded] = useState<NewQuestion[]>(queue ? [] : [{ title: '', kind: 'boolean', choices: '' }]);
  const [isChecked, setIsChecked] = useState(false);
  const others = chosen.filter((ref) => !questions.some((each) => each.ref === ref));
  const save = useMutation({
    mutationFn: async () => {
      const published = await Promise.all(
        added.map((question) => publishQuestion(projectId, question.title, schemaOf(question))),
      );
      const fields = { name: name.trim(), description: description.trim(), scorer_refs: [...chosen, ...published] };
      const body = { ...fields, project_id: projectId };
      if (queue === null) return (await ask('POST /annotation_queues', { body })).id;
      await ask('PUT /annotation_queues/{queue_id}', { params: { queue_id: queue.id }, body });
      return queue.id;
    },
    onSuccess: async (queueId) => {
      void readAgain({ queryKey: ['questions', projectId] });
      await readAgain({ queryKey: ['queues', projectId] });
      onSaved(queueId);
    },
  });
  const toggle = (ref: string) =>
    setChosen(chosen.includes(ref) ? chosen.filter((each) => each !== ref) : [...chosen, ref]);
  const submit = () => {
    setIsChecked(true);
    if (name.trim() !== '' && added.every((question) => faultOf(question) === null)) save.mutate();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={queue ? 'Change the queue' : 'New queue'}
      description="Annotators answer the questions for every call in the queue."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={save.isPending} onClick={submit}>
            {save.isPending ? 'Saving…' : queue ? 'Save' : 'Create queue'}
          </Button>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name"
          value={name}
          error={isChecked && name.trim() === '' ? 'Give the queue a name' : null}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Description"
          hint="What annotators should look at."
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <h3>Questions</h3>
        {questions.map(({ ref, title }) => (
          <label key={ref} className={styles.known}>
            <input type="checkbox" checked={chosen.includes(ref)} onChange={() => toggle(ref)} /> {title}
          </label>
        ))}
        {others.map((ref) => (
          <label key={ref} className={styles.known}>
            <input type="checkbox" checked onChange={() => toggle(ref)} /> {ref}
          </label>
        ))}
        <NewQuestions questions={added} isChecked={isChecked} onChange={setAdded} />
        <FormError error={save.error} />
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
