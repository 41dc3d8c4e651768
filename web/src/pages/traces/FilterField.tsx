import { Autocomplete } from '@base-ui/react/autocomplete';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { type Completion, completionsAt } from './completions.ts';
import styles from './FilterField.module.css';

type FilterFieldProps = {
  text: string;
  onChange: (text: string) => void;
  /** Fields of nested values, and values of a field, from the calls that are shown. */
  fields: string[];
  valuesOf: (field: string) => string[];
  error: string | null;
};

/** The condition of the list in one line, with completion of fields, operators and values. It applies while typing stops. */
export function FilterField({ text, onChange, fields, valuesOf, error }: FilterFieldProps) {
  const errorId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(text);
  const [completions, setCompletions] = useState<Completion[]>([]);
  const [highlighted, setHighlighted] = useState<Completion>();
  useEffect(() => setDraft(text), [text]);
  useEffect(() => {
    if (draft === text) return;
    const timer = setTimeout(() => onChange(draft), 350);
    return () => clearTimeout(timer);
  }, [draft, text, onChange]);

  const suggest = (value: string) =>
    setCompletions(completionsAt(value, input.current?.selectionStart ?? value.length, { fields, valuesOf }));
  const accept = ({ from, to, text: completed }: Completion) => {
    const next = draft.slice(0, from) + completed + draft.slice(to);
    setDraft(next);
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(from + completed.length, from + completed.length);
      suggest(next);
    });
  };
  /** The list itself takes the arrows, and Enter while a completion is highlighted. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab' && highlighted) {
      event.preventDefault();
      accept(highlighted);
    } else if (event.key === 'Enter' && !highlighted) {
      setCompletions([]);
      onChange(draft);
    } else if (event.key === 'Escape' && completions.length > 0) {
      event.preventDefault();
      setCompletions([]);
    }
  };
  return (
    <div className={styles.field}>
      <Autocomplete.Root
        inline // a popup would hide the rest of the page, such as the error, from screen readers
        mode="none"
        items={completions}
        itemToStringValue={({ text }: Completion) => text}
        open={completions.length > 0}
        value={draft}
        onValueChange={(value, { reason }) => {
          if (reason !== 'input-change') return; // a completion replaces only a part of the text
          setDraft(value);
          suggest(value);
        }}
        onItemHighlighted={setHighlighted}
      >
        <span className={styles.icon}>
          <Icon name="search" />
        </span>
        <Autocomplete.Input
          ref={input}
          className={styles.input}
          aria-label="Filter"
          aria-invalid={error !== null}
          aria-describedby={error === null ? undefined : errorId}
          spellCheck={false}
          placeholder="Search, or filter: status:error latency_ms>500 inputs.user:ada"
          onFocus={() => suggest(draft)}
          onBlur={() => setCompletions([])}
          onKeyDown={onKeyDown}
        />
        {draft !== '' && (
          <button
            type="button"
            className={styles.clear}
            aria-label="Clear the filter"
            onClick={() => {
              setDraft('');
              onChange('');
              input.current?.focus();
            }}
          >
            <Icon name="close" size={14} />
          </button>
        )}
        <Autocomplete.List aria-label="Completions" className={styles.list} hidden={completions.length === 0}>
          {(completion: Completion) => (
            <Autocomplete.Item
              key={completion.text}
              value={completion}
              className={styles.option}
              onClick={() => accept(completion)}
            >
              <span className={styles.text}>{completion.text.trim()}</span>
              <span className={styles.meaning}>{completion.meaning}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
      {error !== null && (
        <p id={errorId} role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
