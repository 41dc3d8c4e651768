import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { isMissing } from '../../api/missing.ts';
import { type ObjectVersion, tableOf, versionQuery, versionsQuery } from '../../api/objects.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { useProject } from '../../features/use-project.ts';
import { recordOf } from '../../format/json.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { refOfObject, refOfOp } from '../../refs.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { projectUrl, promptPlaygroundUrl, versionUrl } from '../../urls.ts';
import { kindTitle } from '../objects/kinds.ts';
import { Changes } from './Changes.tsx';
import { FieldsView } from './FieldsView.tsx';
import { Files, filesOf } from './Files.tsx';
import { isOfClass } from './fields.ts';
import { Labels } from './Labels.tsx';
import { DatasetRows } from './rows/DatasetRows.tsx';
import { Standings } from './Standings.tsx';
import { boardColumnsOf } from './standings.ts';
import styles from './VersionPage.module.css';
import { versionTitle } from './version-title.ts';

/** A version of an object or op, at the address that the SDKs print. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [search, change] = useSearchState();
  const params = useParams({ strict: false }) as { name?: string; digest?: string };
  const name = params.name ?? '';
  const digest = params.digest ?? 'latest';
  usePageTitle(name, project.project);
  const version = useQuery(versionQuery(project.id, name, digest));
  const { data: versions } = useQuery(versionsQuery(project.id, name));
  if (isMissing(version.error)) return <NoVersion />;
  if (version.error) return <ErrorMessage error={version.error} onRetry={version.refetch} />;
  if (!version.data) return <Loading label="Loading the version" lines={8} />;
  const object = version.data;
  const kind = object.kind === 'op' || /\/weave\/ops\//.test(pathname) ? 'ops' : 'objects';
  const tabs = tabsOf(object, versions ?? []);
  const tab = tabs.some(({ id }) => id === search.tab) ? search.tab! : tabs[0]!.id;
  return (
    <>
      <PageHeader
        title={name}
        actions={
          <>
            {object.base_object_class === 'Prompt' && (
              <Link to={promptPlaygroundUrl(project, name, object.digest)}>Open in playground</Link>
            )}
            <CopyButton text={refOf(object, project.id)}>Copy ref</CopyButton>
          </>
        }
      >
        <Badge>{kindTitle(object)}</Badge>
        {nameAsSent(object) !== name && <span className={styles.sentName}>{nameAsSent(object)}</span>}
        <Select
          label="Version"
          isLabelHidden
          value={object.digest}
          options={(versions?.length ? versions : [object]).map((each) => ({
            value: each.digest,
            label: versionTitle(each),
          }))}
          onChange={(next) =>
            void navigate({ to: versionUrl(project, { kind, name, digest: next }), search: true as never })
          }
        />
        <span className={styles.time}>
          <TimeAgo time={object.created_at} />
        </span>
      </PageHeader>
      <Labels object={object} />
      <div className={styles.tabs}>
        <Tabs
          label="Views of the version"
          tabs={tabs}
          value={tab}
          onChange={(id) => change({ tab: id }, { replace: true })}
        />
      </div>
    </>
  );
}

function tabsOf(object: ObjectVersion, versions: ObjectVersion[]) {
  const table = tableOf(object);
  const files = filesOf(object);
  const board = boardColumnsOf(object);
  const isLatest = object.is_latest === 1;
  return [
    ...(board === null ? [] : [{ id: 'standings', title: 'Standings', content: <Standings columns={board} /> }]),
    ...(table === null
      ? []
      : [
          {
            id: 'rows',
            title: 'Rows',
            content: <DatasetRows key={table} dataset={object} digest={table} isLatest={isLatest} />,
          },
        ]),
    ...(isOfClass(object)
      ? [
          {
            id: 'fields',
            title: object.base_object_class === 'Prompt' ? 'Prompt' : 'Fields',
            content: <FieldsView key={object.digest} object={object} />,
          },
        ]
      : []),
    ...(files.length === 0
      ? []
      : [{ id: 'code', title: 'Code', content: <Files key={object.digest} files={files} /> }]),
    {
      id: 'value',
      title: 'Value',
      content: (
        <div className={styles.value}>
          <JsonViewer key={object.digest} label="Value" value={object.val} />
        </div>
      ),
    },
    {
      id: 'changes',
      title: 'Changes',
      content: <Changes key={object.digest} object={object} versions={versions} />,
    },
    { id: 'use', title: 'Use', content: <Use object={object} /> },
  ];
}

function Use({ object }: { object: ObjectVersion }) {
  const project = useProject();
  return (
    <div className={styles.use}>
      <CodeBlock
        label="Python"
        text={`import weave

weave.init("${project.id}")
${object.kind === 'op' ? 'op' : 'value'} = weave.ref("${object.object_id}:v${object.version_index}").get()`}
      />
      <CodeBlock label="Ref" text={refOf(object, project.id)} />
    </div>
  );
}

function NoVersion() {
  const project = useProject();
  const navigate = useNavigate();
  return (
    <Empty
      icon="search"
      title="This version does not exist"
      actions={
        <Button kind="primary" onClick={() => void navigate({ to: projectUrl(project, 'objects') })}>
          Show all objects
        </Button>
      }
    >
      It was deleted, or it was never published in this project.
    </Empty>
  );
}

/** What users called it: the SDKs and the server make the name of an object from it, which has fewer characters. */
function nameAsSent({ object_id, val }: ObjectVersion): string {
  const { name } = recordOf(val);
  return typeof name === 'string' && name !== '' ? name : object_id;
}

function refOf({ kind, object_id, digest }: ObjectVersion, projectId: string): string {
  return (kind === 'op' ? refOfOp : refOfObject)(projectId, encodeURIComponent(object_id), digest);
}
