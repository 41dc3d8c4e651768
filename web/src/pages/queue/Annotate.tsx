import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { annotationsQuery } from '../../api/annotations.ts';
import type { Question } from '../../api/questions.ts';
import type { QueueItem } from '../../api/queues.ts';
import { sessionQuery } from '../../api/session.ts';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { useHotkeys } from '../../hooks/use-hotkeys.ts';
import { refOfCall } from '../../refs.ts';
import { Button } from '../../ui/Button.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './Annotate.module.css';
import { ItemCall } from './ItemCall.tsx';
import { QuestionField } from './QuestionField.tsx';
import type { Answers } from './save-item.ts';
import { useAnnotating } from './use-annotating.ts';

type AnnotateProps = { queueId: string; questions: Question[]; total: number | null };

/** One call after the other with its questions. Digits answer, Enter goes on, S skips, P goes back. */
export function Annotate({ queueId, questions, total }: AnnotateProps) {
  const annotating = useAnnotating(queueId, questions);
  const { item, error, isPending, isLoadingMore, refetch, goBack } = annotating;
  if (error && !item) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isPending || (!item && isLoadingMore)) return <Loading label="Loading the items" lines={6} />;
  if (!item) {
    const back = goBack && <Button onClick={goBack}>Go back to the last one</Button>;
    return total === 0 ? (
      <Empty icon="queue" title="The queue is empty">
        Select calls in the traces, then choose “Add to queue”.
      </Empty>
    ) : (
      <Empty icon="check" title="You have annotated every call in this queue" actions={back}>
        New calls that are added to it appear here. The results compare what annotators answered.
      </Empty>
    );
  }
  return (
    <Item key={item.id} queueId={queueId} item={item} questions={questions} annotating={annotating} total={total} />
  );
}

type ItemProps = AnnotateProps & { item: QueueItem; annotating: ReturnType<typeof useAnnotating> };

function Item({ queueId, item, questions, annotating, total }: ItemProps) {
  const { finish, answer, goBack, goOn } = annotating;
  const { id: projectId } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const callRef = refOfCall(projectId, item.call_id);
  const { data: stored } = useQuery(annotationsQuery(projectId, { queueId, callRef }));
  const own = stored?.filter(({ userId }) => userId === session?.user_id) ?? [];
  const answers: Answers = new Map([
    ...questions.flatMap(({ ref, name }): [string, unknown][] => {
      const before = own.find((each) => each.name === name);
      return before ? [[ref, before.value]] : [];
    }),
    ...annotating.answers,
  ]);
  const firstOpen = questions.findIndex(({ ref }) => !answers.has(ref));
  const [chosen, setChosen] = useState<number | null>(null);
  const active = chosen ?? (firstOpen < 0 ? questions.length - 1 : firstOpen);
  const [isChecked, setIsChecked] = useState(false);
  const give = (index: number, value: unknown) => {
    const next = new Map(annotating.answers);
    if (value === undefined) next.delete(questions[index]!.ref);
    else next.set(questions[index]!.ref, value);
    answer(next);
  };
  const choose = (index: number, value: unknown) => {
    give(index, value);
    setChosen(questions.findIndex(({ ref }, at) => at !== index && !answers.has(ref)) < 0 ? index : null);
  };
  const isAnswered = questions.length === 0 || answers.size > 0;
  const goForward = () => {
    if (isAnswered) finish('completed', answers);
    else setIsChecked(true);
  };
  const isSkippable = item.own_state !== 'completed' && item.own_state !== 'skipped';
  const skip = () => isSkippable && finish('skipped', new Map());
  const question = questions[active];
  const digits = question?.kind === 'choice' ? question.choices.filter(({ key }) => key !== null) : [];
  const move = (step: number) => setChosen(Math.max(0, Math.min(questions.length - 1, active + step)));
  useHotkeys({
    ...Object.fromEntries(digits.map(({ key, value }) => [key!, () => choose(active, value)])),
    ...{ Enter: goForward, s: skip, p: () => goBack?.(), n: () => goOn?.() },
    ...{ ArrowDown: () => move(1), ArrowUp: () => move(-1) },
  });
  return (
    <div className={styles.item}>
      <ItemCall item={item} />
      <section className={styles.side} aria-label="Questions">
        <p className={styles.place}>
          Call {formatCount(item.position_in_queue ?? 0)}
          {total !== null && ` of ${formatCount(total)}`}
          {!isSkippable && `, which you have ${item.own_state === 'skipped' ? 'skipped' : 'annotated'}`}
        </p>
        {questions.map((each, index) => (
          <QuestionField
            key={each.ref}
            question={each}
            value={answers.get(each.ref)}
            isActive={index === active}
            onActivate={() => setChosen(index)}
            onChoose={(value) => choose(index, value)}
            onWrite={(value) => give(index, value)}
            onEnter={goForward}
          />
        ))}
        {questions.length === 0 && (
          <p className={styles.place}>This queue asks no questions. Enter marks a call as seen.</p>
        )}
        {isChecked && !isAnswered && (
          <p role="alert" className={styles.error}>
            Answer a question, or skip the call.
          </p>
        )}
        <div className={styles.actions}>
          <Button kind="primary" onClick={goForward}>
            {isSkippable ? 'Done, next' : 'Save'} <Kbd>Enter</Kbd>
          </Button>
          {isSkippable && (
            <Button onClick={skip}>
              Skip <Kbd>S</Kbd>
            </Button>
          )}
          <Button kind="quiet" disabled={goBack === null} onClick={() => goBack?.()}>
            Back <Kbd>P</Kbd>
          </Button>
          {goOn && (
            <Button kind="quiet" onClick={goOn}>
              Forward <Kbd>N</Kbd>
            </Button>
          )}
        </div>
      </section>
    </div>
  );
}
