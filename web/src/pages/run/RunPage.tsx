import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Column, type Run, type RunArtifact, runQuery } from '../../api/runs.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { sweepUrl } from '../../urls.ts';
import { MetricCharts } from './MetricCharts.tsx';
import { RunMedia } from './RunMedia.tsx';
import styles from './RunPage.module.css';
import { RunState } from './RunState.tsx';

/** A run: its metrics, media, settings, output and files. */
export function Page() {
  const { id: _id, ...project } = useProject();
  const { runId = '' } = useParams({ strict: false }) as { runId?: string };
  const [{ tab = 'metrics' }, change] = useSearchState();
  const { data: run, error, isPending, refetch } = useQuery(runQuery(project, runId));
  usePageTitle(run?.displayName || runId, project.project);
  if (isPending) return <Loading label="Loading the run" lines={8} />;
  if (error && !run) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!run) return <Empty icon="list" title={`There is no run ${runId}`} />;
  const [numbers, media] = [run.columns.filter(isNumeric), run.columns.filter(isMedia)];
  const tabs = [
    { id: 'metrics', title: 'Metrics', content: <MetricCharts runId={runId} columns={numbers} /> },
    ...(media.length > 0 ? [{ id: 'media', title: 'Media', content: <RunMedia runId={runId} columns={media} /> }] : []),
    { id: 'settings', title: 'Settings and summary', content: <Settings run={run} /> },
    { id: 'output', title: 'Output', content: <Output run={run} /> },
    { id: 'files', title: 'Files', content: <Files run={run} /> },
  ];
  return (
    <>
      <PageHeader title={run.displayName || run.name}>
        <RunState state={run.state} />
      </PageHeader>
      <div className={styles.content}>
        <RunFacts run={run} sweepAddress={run.sweepName && sweepUrl(project, run.sweepName)} />
        {run.notes && <p className={styles.notes}>{run.notes}</p>}
        <Tabs
          label="Parts of the run"
          tabs={tabs}
          value={tabs.some(({ id }) => id === tab) ? tab : 'metrics'}
          onChange={(id) => change({ tab: id === 'metrics' ? undefined : id })}
        />
      </div>
    </>
  );
}

function isNumeric({ kind }: Column): boolean {
  return kind === 'number' || kind === 'mixed';
}

/** Kinds of the client's own values, such as `image-file` and `histogram`. */
function isMedia({ kind }: Column): boolean {
  return /-file$|^images\/|^histogram$/.test(kind);
}

function RunFacts({ run, sweepAddress }: { run: Run; sweepAddress: string | null }) {
  return (
    <Facts>
      <Fact name="Id">{run.name}</Fact>
      <Fact name="Started">
        <TimeAgo time={run.createdAt} />
      </Fact>
      <Fact name="Rows">{formatCount(Number(run.historyLineCount))}</Fact>
      {run.user && <Fact name="User">{run.user.username}</Fact>}
      {run.host && <Fact name="Host">{run.host}</Fact>}
      {run.group && <Fact name="Group">{run.group}</Fact>}
      {run.jobType && <Fact name="Job type">{run.jobType}</Fact>}
      {run.tags.length > 0 && <Fact name="Tags">{run.tags.join(', ')}</Fact>}
      {sweepAddress && (
        <Fact name="Sweep">
          <a href={sweepAddress}>{run.sweepName}</a>
        </Fact>
      )}
    </Facts>
  );
}

function Settings({ run }: { run: Run }) {
  return (
    <div className={styles.parts}>
      <JsonViewer label="Settings" value={run.config} />
      <JsonViewer label="Summary" value={run.summary} openDepth={1} />
    </div>
  );
}

function Output({ run }: { run: Run }) {
  if (run.output.length === 0) return <Empty icon="list" title="The run has printed nothing" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className={styles.output} tabIndex={0}>
      {run.output.join('\n')}
    </pre>
  );
}

function Files({ run }: { run: Run }) {
  return (
    <div className={styles.parts}>
      <Artifacts title="Logged artifacts" artifacts={run.logged} />
      <Artifacts title="Used artifacts" artifacts={run.used} />
      <Table label="Files">
        <thead>
          <tr>
            <th>File</th>
            <th data-align="end">Size</th>
          </tr>
        </thead>
        <tbody>
          {run.files.map(({ name, sizeBytes, url }) => (
            <tr key={name}>
              <td>
                <a href={url} download={name.split('/').at(-1)}>
                  {name}
                </a>
              </td>
              <td data-align="end">{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

function Artifacts({ title, artifacts }: { title: string; artifacts: RunArtifact[] }) {
  if (artifacts.length === 0) return null;
  return (
    <Table label={title}>
      <thead>
        <tr>
          <th>{title}</th>
          <th>Type</th>
          <th data-align="end">Size</th>
        </tr>
      </thead>
      <tbody>
        {artifacts.map(({ id, name, type, size }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{type}</td>
            <td data-align="end">{formatBytes(size)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
