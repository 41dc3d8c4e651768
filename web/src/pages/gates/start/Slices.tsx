import { useId } from 'react';
import styles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { useDatasetColumns } from '../../../features/gate/use-dataset-columns.ts';
import { parseObjectRef } from '../../../refs.ts';
import { numberField } from '../../../ui/number-field.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { newSlice, type SliceField } from './gate-form.ts';

type SlicesProps = {
  slices: SliceField[];
  /** The ref of the suite's dataset. */
  dataset: string;
  onChange: (slices: SliceField[]) => void;
};

/** Rows in which the target is watched for harm. */
export function Slices({ slices, dataset, onChange }: SlicesProps) {
  const listId = useId();
  const { name = '', digest = '' } = parseObjectRef(dataset) ?? {};
  const columns = useDatasetColumns(name, digest);
  return (
    <>
      <FieldList
        title="Watched slices"
        noun="slice"
        hint="Rows with this value in the column. If the target is shown to get worse there, the candidate is rejected."
        items={slices}
        next={newSlice}
        onChange={onChange}
      >
        {(slice, change) => (
          <>
            <TextField
              label="Column"
              list={listId}
              placeholder="language"
              spellCheck={false}
              value={slice.column}
              onChange={({ target }) => change({ ...slice, column: target.value })}
            />
            <TextField
              label="Value"
              placeholder="de"
              spellCheck={false}
              value={slice.value}
              onChange={({ target }) => change({ ...slice, value: target.value })}
            />
            <TextField
              label="Smallest harm"
              className={styles.number ?? ''}
              {...numberField(slice.harm, (harm) => change({ ...slice, harm }))}
            />
          </>
        )}
      </FieldList>
      <datalist id={listId}>
        {columns.map((column) => (
          <option key={column} value={column} />
        ))}
      </datalist>
    </>
  );
}
