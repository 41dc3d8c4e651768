import { useState } from 'react';
import { fieldText, isFieldLike, typedField } from '../../features/call/field-paths.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './ColumnChooser.module.css';
import { defaultColumns, namedColumns } from './trace-columns.tsx';

type ColumnChooserProps = { chosen: string[]; fields: string[]; onChange: (chosen: string[]) => void };

/** Chooses the columns of the list and their order, among them any field of the payloads. */
export function ColumnChooser({ chosen, fields, onChange }: ColumnChooserProps) {
  const [text, setText] = useState('');
  const own = typedField(text, fields);
  const nameOf = (id: string) => namedColumns.find((column) => column.id === id)?.name ?? fieldText(id);
  const others = [...namedColumns.map(({ id }) => id), ...fields].filter(
    (id) => !chosen.includes(id) && (isFieldLike(id, text.trim()) || isFieldLike(nameOf(id), text.trim())),
  );
  const isOwnField = /^(inputs|output|attributes|summary)\.\S/.test(own) && ![...others, ...chosen].includes(own);
  const moved = (index: number, step: number) => {
    const next = [...chosen];
    next.splice(index + step, 0, ...next.splice(index, 1));
    return next;
  };
  return (
    <Popover label="Columns" align="end" trigger={<Button icon="columns">Columns</Button>}>
      <div className={styles.chooser}>
        <ul className={styles.shown} aria-label="Shown columns">
          {chosen.map((id, index) => (
            <li key={id} className={styles.line}>
              <span className={styles.name}>{nameOf(id)}</span>
              <IconButton
                label={`Move ${nameOf(id)} to the left`}
                icon="arrowUp"
                disabled={index === 0}
                onClick={() => onChange(moved(index, -1))}
              />
              <IconButton
                label={`Hide ${nameOf(id)}`}
                icon="close"
                disabled={chosen.length === 1}
                onClick={() => onChange(chosen.filter((each) => each !== id))}
              />
            </li>
          ))}
        </ul>
        <TextField
          label="Add a column"
          type="search"
          placeholder="Name, or a field such as inputs.user.id"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <ul className={styles.others} aria-label="Other columns">
          {[...(isOwnField ? [own] : []), ...others.slice(0, 40)].map((id) => (
            <li key={id}>
              <button type="button" className={styles.add} onClick={() => onChange([...chosen, id])}>
                {nameOf(id)}
              </button>
            </li>
          ))}
        </ul>
        <Button kind="quiet" onClick={() => onChange(defaultColumns)}>
          Reset to the usual columns
        </Button>
      </div>
    </Popover>
  );
}
