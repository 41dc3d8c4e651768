import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { freezeSuite, type Suite } from '../../api/gates.ts';
import { objectsQuery } from '../../api/objects.ts';
import { readAgain } from '../../api/read-again.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { useDatasetColumns } from '../../features/gate/use-dataset-columns.ts';
import { useProject } from '../../features/use-project.ts';
import { Fold } from '../../ui/Fold.tsx';
import { isNumberOrEmpty, numberField } from '../../ui/number-field.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { notify } from '../../ui/Toasts.tsx';

/** Freezes the latest version of a dataset as a suite. */
export function FreezeSuite({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const { data: objects = [] } = useQuery(objectsQuery(project.id));
  const datasets = objects.filter(({ base_object_class }) => base_object_class === 'Dataset');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [threadColumn, setThreadColumn] = useState('');
  const [purpose, setPurpose] = useState<Suite['purpose']>('gate');
  const [alpha, setAlpha] = useState('0.05');
  const dataset = chosen || (datasets[0]?.object_id ?? '');
  const columns = useDatasetColumns(dataset, dataset === '' ? '' : 'latest');
  const freeze = async () => {
    const thread_column = columns.includes(threadColumn) ? threadColumn : null;
    await freezeSuite(project, { name: name.trim(), dataset, purpose, thread_column, alpha: Number(alpha) });
    notify(`Frozen as ${name.trim()}`);
    await readAgain({ queryKey: ['suites', project.id] });
    onClose();
  };
  return (
    <FormDialog
      title="Freeze a suite"
      description="The latest version of the dataset becomes a suite that never changes. Its rows are kept out of training from then on."
      action="Freeze"
      isComplete={[name.trim(), dataset, alpha].every((text) => text !== '') && isNumberOrEmpty(alpha)}
      run={freeze}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="my-suite"
        autoFocus
        spellCheck={false}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Dataset"
        value={dataset}
        options={
          datasets.length === 0
            ? [{ value: '', label: 'This project has no datasets yet' }]
            : datasets.map(({ object_id }) => ({ value: object_id, label: object_id }))
        }
        onChange={setChosen}
      />
      <Select
        label="Thread column"
        value={columns.includes(threadColumn) ? threadColumn : ''}
        options={[
          { value: '', label: 'None: each row is a thread of its own' },
          ...columns.map((column) => ({ value: column, label: column })),
        ]}
        onChange={setThreadColumn}
      />
      <Select
        label="Purpose"
        value={purpose}
        options={[
          { value: 'gate', label: 'Gates compare models on it' },
          { value: 'held_out', label: 'Only kept out of training' },
        ]}
        onChange={setPurpose}
      />
      {purpose === 'gate' && (
        <Fold summary={`Wrong promotions: α = ${alpha}`}>
          <TextField
            label="α"
            hint="The probability of a wrong promotion that all candidates of the suite share. It must be above 0 and at most 0.5."
            {...numberField(alpha, setAlpha)}
          />
        </Fold>
      )}
    </FormDialog>
  );
}
