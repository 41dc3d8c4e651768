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
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(text);
  const [completions, setCompletions] = useState<Completion[]>([]);
  const [position, setPosition] = useState(-1);
  useEffect(() => setDraft(text), [text]);
  useEffect(() => {
    if (draft === text) return;
    const timer = setTimeout(() => onChange(draft), 350);
    return () => clearTimeout(timer);
  }, [draft, text, onChange]);

  const suggest = (value: string) => {
    setCompletions(completionsAt(value, input.current?.selectionStart ?? value.length, { fields, valuesOf }));
    setPosition(-1);
  };
  const accept = ({ from, to, text: completed }: Completion) => {
    const next = draft.slice(0, from) + completed + draft.slice(to);
    setDraft(next);
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(from + completed.length, from + completed.length);
      suggest(next);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && completions.length > 0) {
      event.preventDefault();
      setPosition((position + step + completions.length) % completions.length);
    } else if (event.key === 'Enter' || (event.key === 'Tab' && position >= 0)) {
      event.preventDefault();
      const chosen = completions[position];
      if (chosen) accept(chosen);
      else {
        setCompletions([]);
        onChange(draft);
      }
    } else if (event.key === 'Escape' && completions.length > 0) {
      event.preventDefault();
      setCompletions([]);
    }
  };
  return (
    <div className={styles.field}>
      <span className={styles.icon}>
        <Icon name="search" />
      </span>
      <input
        ref={input}
        className={styles.input}
        role="combobox"
        aria-label="Filter"
        aria-expanded={completions.length > 0}
        aria-controls={id}
        aria-activedescendant={position >= 0 ? `${id}-${position}` : undefined}
        aria-autocomplete="list"
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Search, or filter: status:error latency_ms>500 inputs.user:ada"
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          suggest(event.target.value);
        }}
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
      <div id={id} role="listbox" aria-label="Completions" className={styles.list} hidden={completions.length === 0}>
        {completions.map((completion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which keeps the focus
          <div
            key={completion.text}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === position}
            className={styles.option}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => accept(completion)}
          >
            <span className={styles.text}>{completion.text.trim()}</span>
            <span className={styles.meaning}>{completion.meaning}</span>
          </div>
        ))}
      </div>
      {error !== null && (
        <p id={`${id}-error`} role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
