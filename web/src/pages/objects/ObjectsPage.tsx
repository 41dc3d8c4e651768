import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isMissing } from '../../api/missing.ts';
import { type ObjectVersion, objectsQuery } from '../../api/objects.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { StartPage } from '../../components/StartPage.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { versionUrl } from '../../urls.ts';
import { isOfKind, kindTitle, objectKinds } from './kinds.ts';
import styles from './ObjectsPage.module.css';

/** Datasets, models, prompts and everything else that is stored in versions. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const [search, change] = useSearchState();
  const { kind = '', find = '', sort = 'created_at', order } = search;
  const isDescending = order !== 'asc';
  usePageTitle('Datasets and objects', project.project);
  const { data, error, isPending, refetch } = useQuery(objectsQuery(project.id));
  const found = useMemo(
    () =>
      ordered(
        (data ?? []).filter((each) => isOfKind(each, kind) && contains(each, find)),
        sort,
        isDescending,
      ),
    [data, kind, find, sort, isDescending],
  );
  if (isPending) return <Loading label="Loading objects" lines={8} />;
  if (error && !data && !isMissing(error)) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data?.length) return <NoObjects projectId={project.id} />;
  return (
    <>
      <PageHeader
        title="Datasets and objects"
        actions={
          <>
            <Select
              label="Kind"
              isLabelHidden
              value={kind}
              options={objectKinds}
              onChange={(value) => change({ kind: value })}
            />
            <TextField
              label="Search objects"
              isLabelHidden
              type="search"
              placeholder="Name, tag or alias"
              value={find}
              onChange={(event) => change({ find: event.target.value }, { replace: true })}
            />
          </>
        }
      />
      <DataTable
        label="Objects"
        columns={columns}
        items={found}
        keyOf={({ object_id, kind: each }) => `${each}:${object_id}`}
        onOpen={(object) =>
          void navigate({
            to: versionUrl(project, {
              kind: object.kind === 'op' ? 'ops' : 'objects',
              name: object.object_id,
              digest: object.digest,
            }),
          })
        }
        sort={{ column: sort, isDescending }}
        onSort={(next) => change({ sort: next.column, order: next.isDescending ? undefined : 'asc' })}
        empty={
          <Empty icon="search" title="Nothing matches">
            Choose another kind or search for something else.
          </Empty>
        }
        footer={`${formatCount(found.length)} ${found.length === 1 ? 'object' : 'objects'}`}
      />
    </>
  );
}

const columns: TableColumn<ObjectVersion>[] = [
  {
    id: 'object_id',
    title: 'Name',
    width: 280,
    isSortable: true,
    cell: ({ object_id }) => <span className={styles.name}>{object_id}</span>,
  },
  { id: 'kind', title: 'Kind', width: 180, isSortable: true, cell: (object) => <span>{kindTitle(object)}</span> },
  {
    id: 'version',
    title: 'Versions',
    width: 90,
    align: 'end',
    isSortable: true,
    cell: ({ version_index }) => formatCount(version_index + 1),
  },
  {
    id: 'labels',
    title: 'Aliases and tags',
    width: 260,
    cell: ({ aliases, tags }) => (
      <>
        {aliases
          ?.filter((alias) => alias !== 'latest')
          .map((alias) => (
            <Badge key={alias} tone="accent">
              {alias}
            </Badge>
          ))}
        {tags?.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </>
    ),
  },
  {
    id: 'created_at',
    title: 'Changed',
    width: 110,
    align: 'end',
    isSortable: true,
    cell: ({ created_at }) => <TimeAgo time={created_at} />,
  },
];

function ordered(objects: ObjectVersion[], column: string, isDescending: boolean): ObjectVersion[] {
  const keyOf = (object: ObjectVersion): string | number =>
    ({ object_id: object.object_id.toLowerCase(), kind: kindTitle(object), version: object.version_index })[column] ??
    object.created_at;
  const direction = isDescending ? -1 : 1;
  return objects.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left === right ? 0 : left < right ? -direction : direction;
  });
}

function contains({ object_id, tags, aliases }: ObjectVersion, text: string): boolean {
  const sought = text.trim().toLowerCase();
  return [object_id, ...(tags ?? []), ...(aliases ?? [])].some((each) => each.toLowerCase().includes(sought));
}

function NoObjects({ projectId }: { projectId: string }) {
  return (
    <StartPage title="No datasets or objects yet">
      <p>Datasets, models, prompts and ops are stored in versions. Publish one: it appears here.</p>
      <CodeBlock label="dataset.py" text={firstDataset(projectId)} />
    </StartPage>
  );
}

function firstDataset(projectId: string): string {
  return `import weave

weave.init("${projectId}")

dataset = weave.Dataset(
    name="capitals",
    rows=[{"question": "What is the capital of France?", "expected": "Paris"}],
)
weave.publish(dataset)`;
}
