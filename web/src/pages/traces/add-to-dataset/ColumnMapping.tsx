import { Button, IconButton } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import styles from './AddToDataset.module.css';
import { type MappedColumn, sourceTitle } from './mapping.ts';

type ColumnMappingProps = { columns: MappedColumn[]; fields: string[]; onChange: (columns: MappedColumn[]) => void };

/** Which field of a call fills which column. */
export function ColumnMapping({ columns, fields, onChange }: ColumnMappingProps) {
  const update = (index: number, changed: Partial<MappedColumn>) =>
    onChange(columns.map((column, at) => (at === index ? { ...column, ...changed } : column)));
  return (
    <fieldset className={styles.columns}>
      <legend>Columns</legend>
      <ul>
        {columns.map(({ name, field }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place while its name is edited
          <li key={index} className={styles.column}>
            <TextField
              label={`Name of column ${index + 1}`}
              isLabelHidden
              value={name}
              onChange={({ target }) => update(index, { name: target.value })}
            />
            <Select
              label={`Field for ${name || `column ${index + 1}`}`}
              isLabelHidden
              value={field}
              options={[
                { value: '', label: 'Leave out' },
                ...[...new Set([...fields, field])]
                  .filter(Boolean)
                  .map((value) => ({ value, label: sourceTitle(value) })),
              ]}
              onChange={(value) => update(index, { field: value })}
            />
            <IconButton
              label={`Remove ${name || `column ${index + 1}`}`}
              icon="close"
              onClick={() => onChange(columns.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ul>
      <Button kind="quiet" icon="plus" onClick={() => onChange([...columns, { name: '', field: '' }])}>
        Add a column
      </Button>
    </fieldset>
  );
}
