import { Button, IconButton } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './QueueDialog.module.css';
import { faultOf, type NewQuestion, questionKinds } from './question-kinds.ts';

type NewQuestionsProps = {
  questions: NewQuestion[];
  /** Whether to say what is missing. */
  isChecked: boolean;
  onChange: (questions: NewQuestion[]) => void;
};

/** Questions that are published together with their queue. */
export function NewQuestions({ questions, isChecked, onChange }: NewQuestionsProps) {
  const change = (index: number, changes: Partial<NewQuestion>) =>
    onChange(questions.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  return (
    <>
      {questions.map((question, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new questions have no ids
        <fieldset key={index} className={styles.question} aria-label={`New question ${index + 1}`}>
          <TextField
            label="Question"
            placeholder="Is the answer correct?"
            value={question.title}
            error={isChecked ? faultOf(question) : null}
            onChange={(event) => change(index, { title: event.target.value })}
          />
          <Select
            label="Answer"
            value={question.kind}
            options={questionKinds}
            onChange={(kind) => change(index, { kind })}
          />
          <IconButton
            label={`Remove new question ${index + 1}`}
            icon="close"
            onClick={() => onChange(questions.filter((_, at) => at !== index))}
          />
          {question.kind === 'enum' && (
            <TextField
              label="Choices"
              className={styles.choices ?? ''}
              placeholder="good, bad, unsure"
              value={question.choices}
              onChange={(event) => change(index, { choices: event.target.value })}
            />
          )}
        </fieldset>
      ))}
      <Button icon="plus" onClick={() => onChange([...questions, { title: '', kind: 'boolean', choices: '' }])}>
        Add a question
      </Button>
    </>
  );
}
