import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callsByIdQuery } from '../../../api/calls.ts';
import { conversationsQuery } from '../../../api/conversations.ts';
import { publishChangedRows, publishNewDataset } from '../../../api/datasets.ts';
import { type ObjectVersion, objectsQuery, tableOf, tableRowsHeadQuery, versionQuery } from '../../../api/objects.ts';
import { readAgain } from '../../../api/read-again.ts';
import { useProject } from '../../../features/use-project.ts';
import { recordOf, writeJson } from '../../../format/json.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Select } from '../../../ui/Select.tsx';
import { ErrorMessage, Loading } from '../../../ui/Status.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { notify } from '../../../ui/Toasts.tsx';
import { versionUrl } from '../../../urls.ts';
import { fieldsOf } from '../fields.ts';
import styles from './AddToDataset.module.css';
import { ColumnMapping } from './ColumnMapping.tsx';
import {
  columnsOfCalls,
  columnsOfDataset,
  faultOf,
  leftOf,
  type MappedColumn,
  rowOf,
  type Source,
  sourceFields,
} from './mapping.ts';

type AddToDatasetProps = { callIds: string[]; onClose: () => void };

/** Adds a row for each call to a dataset, which becomes its next version, or to a new dataset. */
export function AddToDataset({ callIds, onClose }: AddToDatasetProps) {
  const { id: projectId } = useProject();
  const calls = useQuery(callsByIdQuery(projectId, callIds));
  const conversations = useQuery(conversationsQuery(projectId, callIds));
  const objects = useQuery(objectsQuery(projectId));
  const datasets = objects.data?.filter(({ base_object_class }) => base_object_class === 'Dataset');
  const error = calls.error ?? conversations.error ?? objects.error;
  const count = `${callIds.length} ${callIds.length === 1 ? 'call' : 'calls'}`;
  if (calls.data && conversations.data && datasets) {
    const sources = calls.data.map((call): Source => {
      const conversation = conversations.data.get(call.id)?.conversation;
      return { call, chat: conversation?.is_chat ? conversation : null };
    });
    return <DatasetForm title={`Add ${count} to a dataset`} sources={sources} datasets={datasets} onClose={onClose} />;
  }
  return (
    <Dialog isOpen onClose={onClose} title={`Add ${count} to a dataset`}>
      {error ? (
        <ErrorMessage
          error={error}
          onRetry={() => void Promise.all([calls, conversations, objects].map(({ refetch }) => refetch()))}
        />
      ) : (
        <Loading label="Loading the calls" lines={6} />
      )}
    </Dialog>
  );
}

type DatasetFormProps = { title: string; sources: Source[]; datasets: ObjectVersion[]; onClose: () => void };

function DatasetForm({ title, sources, datasets, onClose }: DatasetFormProps) {
  const project = useProject();
  const navigate = useNavigate();
  const [target, setTarget] = useState('');
  const [name, setName] = useState('');
  const [edited, setEdited] = useState<MappedColumn[] | null>(null);
  const { data: dataset } = useQuery(versionQuery(project.id, target, target === '' ? '' : 'latest'));
  const chosen = target !== '' && dataset?.object_id === target ? dataset : null;
  const table = chosen && tableOf(chosen);
  const { data: head } = useQuery(tableRowsHeadQuery(project.id, table));
  const fields = sourceFields(sources, fieldsOf(sources.map(({ call }) => call)));
  const isReady = target === '' || (table !== null && head !== undefined);
  const names = [...new Set((head ?? []).flatMap(({ val }) => Object.keys(recordOf(val))))];
  const columns = edited ?? (target === '' ? columnsOfCalls(sources) : isReady ? columnsOfDataset(names, fields) : []);
  const isTaken = datasets.some(({ object_id }) => object_id === name.trim());
  const left = leftOf(sources, columns);
  const fault = isReady ? faultOf(columns) : null;
  const publication = useMutation({
    mutationFn: () => {
      const rows = sources.map((source) => rowOf(project.id, source, columns));
      if (!chosen) return publishNewDataset(project.id, name.trim(), rows);
      return publishChangedRows(
        chosen,
        table!,
        rows.map((row) => ({ append: { row } })),
      );
    },
    onSuccess: async (digest) => {
      notify(`Added ${sources.length} ${sources.length === 1 ? 'row' : 'rows'}`);
      await readAgain({ queryKey: ['objects', project.id] });
      onClose();
      await navigate({ to: versionUrl(project, { kind: 'objects', name: target || name.trim(), digest }) });
    },
    // Another version may be the latest now.
    onError: () => readAgain({ queryKey: ['objects', project.id] }),
  });
  const canAdd = isReady && fault === null && (target !== '' || (name.trim() !== '' && !isTaken));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description="Each call becomes a row, which keeps the ref of the call in the column source_call."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={!canAdd || publication.isPending} onClick={() => publication.mutate()}>
            {publication.isPending ? 'Adding…' : 'Add'}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Select
          label="Dataset"
          value={target}
          options={[
            { value: '', label: 'New dataset' },
            ...datasets.map(({ object_id }) => ({ value: object_id, label: object_id })),
          ]}
          onChange={(value) => {
            setTarget(value);
            setEdited(null);
            publication.reset();
          }}
        />
        {target === '' && (
          <TextField
            label="Name of the dataset"
            value={name}
            error={isTaken ? 'A dataset has this name: choose it above' : undefined}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {isReady ? (
          <>
            <ColumnMapping columns={columns} fields={fields} onChange={setEdited} />
            {left.length > 0 && (
              <p className={styles.note}>Messages of a row cannot contain, and leave out: {left.join(', ')}.</p>
            )}
            {fault === null ? (
              <div>
                <p className={styles.note}>The first row</p>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
                <pre className={styles.preview} tabIndex={0}>
                  {writeJson(rowOf(project.id, sources[0]!, columns), 2).slice(0, 4000)}
                </pre>
              </div>
            ) : (
              <p className={styles.note}>{fault}</p>
            )}
          </>
        ) : (
          <Loading label="Loading the columns" />
        )}
        <FormError error={publication.error} />
      </div>
    </Dialog>
  );
}
