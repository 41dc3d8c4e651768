import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Choice, Question } from '../../api/questions.ts';
import { comparable, parseJson, parseNumber, writeJson } from '../../format/json.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import styles from './QuestionField.module.css';

type QuestionFieldProps = {
  question: Question;
  value: unknown;
  /** Whether digits answer this question. */
  isActive: boolean;
  onActivate: () => void;
  /** A choice is an answer at once; what is written may not be complete. */
  onChoose: (value: unknown) => void;
  onWrite: (value: unknown) => void;
  onEnter: () => void;
};

export function QuestionField(props: QuestionFieldProps) {
  const { question, isActive } = props;
  return (
    <div className={`${styles.question} ${isActive ? styles.active : ''}`} data-active={isActive}>
      <p className={styles.title}>{question.title}</p>
      {question.description !== '' && <p className={styles.description}>{question.description}</p>}
      {question.kind === 'choice' ? <Choices {...props} choices={question.choices} /> : <Written {...props} />}
    </div>
  );
}

function Choices({ question, choices, value, isActive, onChoose }: QuestionFieldProps & { choices: Choice[] }) {
  const chosen = choices.findIndex((choice) => comparable(choice.value) === comparable(value));
  return (
    <div role="radiogroup" aria-label={question.title} className={styles.choices}>
      {choices.map(({ label, value: each, key }, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio button would keep the keys that answer for itself
        <button
          key={label}
          type="button"
          role="radio"
          aria-checked={index === chosen}
          className={styles.choice}
          onClick={() => onChoose(each)}
        >
          {key !== null && key !== label && isActive && <Kbd>{key}</Kbd>}
          {label}
        </button>
      ))}
    </div>
  );
}

function Written({ question, value, isActive, onActivate, onWrite, onEnter }: QuestionFieldProps) {
  const [text, setText] = useState(() => textOf(value));
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the paint: what is typed as soon as the field is active goes into it.
  useLayoutEffect(() => {
    if (isActive) field.current?.focus();
  }, [isActive]);
  // An earlier answer may arrive after the field is shown.
  const isUntouched = useRef(true);
  useEffect(() => {
    if (isUntouched.current) setText(textOf(value));
  }, [value]);
  return (
    <>
      <TextArea
        ref={field}
        aria-label={question.title}
        aria-invalid={fault !== null}
        rows={question.kind === 'number' ? 1 : 3}
        inputMode={question.kind === 'number' ? 'decimal' : 'text'}
        className={styles.text}
        value={text}
        onFocus={onActivate}
        onChange={(event) => {
          isUntouched.current = false;
          setText(event.target.value);
          const read = readAnswer(question, event.target.value);
          setFault(read.fault);
          onWrite(read.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          if (fault === null) onEnter();
        }}
      />
      {fault !== null && (
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      )}
    </>
  );
}

type Read = { value: unknown; fault: string | null };

function readAnswer(question: Question, text: string): Read {
  const none = (fault: string | null): Read => ({ value: undefined, fault });
  if (text.trim() === '') return none(null);
  if (question.kind === 'text') {
    const { lengthMax } = question;
    return lengthMax !== null && text.length > lengthMax
      ? none(`At most ${lengthMax} characters, these are ${text.length}`)
      : { value: text, fault: null };
  }
  if (question.kind === 'number') {
    const { isWhole, least, most } = question;
    const value = Number(text);
    if (!Number.isFinite(value) || (isWhole && !Number.isInteger(value)))
      return none(isWhole ? 'Enter a whole number' : 'Enter a number');
    if (least !== null && value < least) return none(`Enter at least ${least}`);
    return most !== null && value > most
      ? none(`Enter at most ${most}`)
      : { value: parseNumber(text.trim()), fault: null };
  }
  try {
    return { value: parseJson(text), fault: null };
  } catch {
    return none('Enter JSON, such as {"ok": true}');
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : writeJson(value);
}
