import { useId, useState } from 'react';
import { isContainer } from '../../../components/json/json-paths.ts';
import { parseJson, writeJson } from '../../../format/json.ts';
import { Button } from '../../../ui/Button.tsx';
import { TextArea } from '../../../ui/TextArea.tsx';
import styles from './Rows.module.css';

type Row = Record<string, unknown>;
type RowEditorProps = {
  row: Row;
  isDeleted: boolean;
  onChange: (row: Row) => void;
  /** Deletes the row, or brings it back. */
  onDelete: () => void;
};

/** A row as JSON that can be edited. What is not JSON is not taken over. */
export function RowEditor({ row, isDeleted, onChange, onDelete }: RowEditorProps) {
  const id = useId();
  const [text, setText] = useState(() => writeJson(row, 2));
  const [error, setError] = useState<string | null>(null);
  const edit = (next: string) => {
    setText(next);
    const parsed = parseRow(next);
    setError('error' in parsed ? parsed.error : null);
    if ('row' in parsed) onChange(parsed.row);
  };
  return (
    <div className={styles.editor}>
      <label htmlFor={id}>Row as JSON</label>
      <TextArea
        id={id}
        className={styles.text}
        value={text}
        spellCheck={false}
        disabled={isDeleted}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
        onChange={({ target }) => edit(target.value)}
      />
      {error !== null && (
        <p id={`${id}-error`} role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <div>
        <Button icon={isDeleted ? 'refresh' : 'trash'} onClick={onDelete}>
          {isDeleted ? 'Keep this row' : 'Delete this row'}
        </Button>
      </div>
    </div>
  );
}

function parseRow(text: string): { row: Row } | { error: string } {
  try {
    const value = parseJson(text);
    const isRow = isContainer(value) && !Array.isArray(value);
    return isRow ? { row: value as Row } : { error: 'A row is an object, such as {"question": "…"}.' };
  } catch (error) {
    return { error: `This is not JSON, so the row stays as it was: ${(error as Error).message}` };
  }
}
