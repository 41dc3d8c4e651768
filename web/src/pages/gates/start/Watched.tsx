import { useId } from 'react';
import fieldStyles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { useDatasetColumns } from '../../../features/gate/use-dataset-columns.ts';
import { parseObjectRef } from '../../../refs.ts';
import { Fold } from '../../../ui/Fold.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { Select } from '../../../ui/Select.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { newWatch, type WatchForm } from './gate-form.ts';
import { Kind, Limits, MetricName, Range, rangeText } from './MetricFields.tsx';

type WatchedProps = {
  watched: WatchForm[];
  /** The ref of the suite's dataset. */
  dataset: string;
  target: string;
  scorers: string[];
  onChange: (watched: WatchForm[]) => void;
};

/** Slices of rows, and metrics, that are watched for harm. */
export function Watched({ watched, dataset, target, scorers, onChange }: WatchedProps) {
  const listId = useId();
  const { name = '', digest = '' } = parseObjectRef(dataset) ?? {};
  const columns = useDatasetColumns(name, digest);
  return (
    <>
      <FieldList
        title="Watched slices"
        noun="slice"
        hint="Rows with this value in the column, or all rows. If harm is shown there, the candidate is rejected; nothing waits for it."
        items={watched}
        next={newWatch}
        onChange={onChange}
        more={(watch, change) => (
          <Fold summary={harmText(watch, target)}>
            <WatchedMetric watch={watch} scorers={scorers} onChange={change} />
          </Fold>
        )}
      >
        {(watch, change) => (
          <>
            <TextField
              label="Column"
              list={listId}
              placeholder="all rows"
              spellCheck={false}
              value={watch.column}
              onChange={({ target: { value } }) => change({ ...watch, column: value })}
            />
            <TextField
              label="Value"
              placeholder={watch.column === '' ? '' : 'de'}
              disabled={watch.column === ''}
              spellCheck={false}
              value={watch.value}
              onChange={({ target: { value } }) => change({ ...watch, value })}
            />
            <TextField
              label="Smallest harm"
              className={fieldStyles.number ?? ''}
              {...numberField(watch.harm, (harm) => change({ ...watch, harm }))}
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

type WatchedMetricProps = { watch: WatchForm; scorers: string[]; onChange: (watch: WatchForm) => void };

/** What gets worse if there is harm: the target, or another metric. */
function WatchedMetric({ watch, scorers, onChange }: WatchedMetricProps) {
  const change = (metric: WatchForm['metric']) => onChange({ ...watch, metric });
  return (
    <>
      <Select
        label="Harm in"
        value={watch.of}
        options={[
          { value: 'target', label: 'the target' },
          { value: 'metric', label: 'another metric' },
        ]}
        onChange={(of) => onChange({ ...watch, of })}
      />
      {watch.of === 'metric' && (
        <>
          <Kind form={watch.metric} onChange={change} />
          <MetricName form={watch.metric} scorers={scorers} onChange={change} />
          <Limits form={watch.metric} onChange={change} />
          <Range form={watch.metric} onChange={change} />
        </>
      )}
    </>
  );
}

function harmText({ of, metric }: WatchForm, target: string): string {
  if (of === 'target') return `Harm in ${target || 'the target'}`;
  return `Harm in ${metric.metric || 'another metric'}. ${rangeText(metric)}`;
}
