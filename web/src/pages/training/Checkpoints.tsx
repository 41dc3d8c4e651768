import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  type Checkpoint,
  checkpointsQuery,
  isOpen,
  servedName,
  type TrainedModel,
  type TrainingJob,
} from '../../api/training.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { type ProjectAddress, playgroundUrl } from '../../urls.ts';
import styles from './Checkpoints.module.css';
import { CurveGrid } from './CurveGrid.tsx';
import { curvesOfCheckpoints } from './curves.ts';

/** The checkpoints of a model, with their metrics over the steps. */
export function Checkpoints({ model, jobs }: { model: TrainedModel; jobs: TrainingJob[] }) {
  const ended = jobs.filter((job) => !isOpen(job)).length;
  const { data: checkpoints, error, refetch } = useQuery(checkpointsQuery(model.id, ended));
  const curves = useMemo(() => curvesOfCheckpoints(checkpoints ?? []), [checkpoints]);
  const columns = useMemo(() => columnsOf(model, checkpoints ?? []), [model, checkpoints]);
  if (!checkpoints) {
    return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading checkpoints" />;
  }
  if (checkpoints.length === 0) {
    return (
      <Empty icon="training" title="No checkpoints yet">
        Each job that ends makes one. Until then, chats with the model are answered by {model.base_model}.
      </Empty>
    );
  }
  return (
    <div className={styles.checkpoints}>
      <div className={styles.table} style={{ height: 33 * Math.min(checkpoints.length + 1, 9) }}>
        <DataTable label="Checkpoints" columns={columns} items={checkpoints.toReversed()} keyOf={({ id }) => id} />
      </div>
      {checkpoints.length > 1 && (
        <div className={styles.curves}>
          <CurveGrid curves={curves} group={model.id} />
        </div>
      )}
    </div>
  );
}

const metricsMax = 8;

function columnsOf(model: TrainedModel, checkpoints: Checkpoint[]): TableColumn<Checkpoint>[] {
  const metrics = [...new Set(checkpoints.flatMap((each) => Object.keys(each.metrics)))];
  return [
    { id: 'step', title: 'Step', width: 80, cell: ({ step }) => formatNumber(step) },
    {
      id: 'name',
      title: 'Name',
      width: 330,
      cell: ({ step }) => (
        <>
          <span>{`${model.name}:step${step}`}</span>
          <CopyButton text={servedName(model, step)} label={`Copy the name of step ${step}`} />
          <Link to={playgroundUrl(addressOf(model))} search={{ model: servedName(model, step) } as never}>
            Open in playground
          </Link>
        </>
      ),
    },
    ...metrics.slice(0, metricsMax).map(
      (name): TableColumn<Checkpoint> => ({
        ...{ id: name, title: name, width: 130, align: 'end' },
        cell: ({ metrics: { [name]: value } }) => (value === undefined ? '–' : formatNumber(value)),
      }),
    ),
  ];
}

function addressOf({ entity, project }: TrainedModel): ProjectAddress {
  return { entity, project };
}
