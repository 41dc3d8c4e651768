import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { storedQuery } from '../../api/settings.ts';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { type ProjectAddress, projectIdOf, projectUrl } from '../../urls.ts';
import { Section } from './Section.tsx';
import styles from './StoredData.module.css';

/** How much the project stores, how long, and how to delete it. */
export function StoredData({ project }: { project: ProjectAddress }) {
  const { data, error, refetch } = useQuery(storedQuery(projectIdOf(project)));
  return (
    <Section title="Stored data" description="The sizes are those of what was sent, before the stores compress it.">
      {!data && (error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading sizes" />)}
      {data && (
        <dl className={styles.sizes}>
          <Size
            name="Calls"
            bytes={data.callBytes}
            note={`${formatCount(data.calls)} ${data.calls === 1 ? 'call' : 'calls'}`}
          />
          <Size name="Files" bytes={data.fileBytes} note="images, audio, code and adapters" />
        </dl>
      )}
      <div className={styles.kept}>
        <h2>How long data is kept</h2>
        <p>
          Until somebody deletes it. Only uploaded files that were given a time to expire are deleted by themselves.
        </p>
        <p>
          To delete old traces, list{' '}
          <Link to={projectUrl(project)} search={{ q: `started_at<${monthAgo()}` } as never}>
            those that are older than 30 days
          </Link>
          , select them, and choose Delete. Calls below a deleted call are deleted too. A program can do the same:
        </p>
        <CodeBlock
          label="Delete calls with Python"
          text={`client = weave.init("${projectIdOf(project)}")\nclient.delete_calls(call_ids)`}
        />
        <p className={styles.note}>
          Versions of objects are deleted on their own pages. Their space on the disk is freed when the store next
          merges its files.
        </p>
      </div>
    </Section>
  );
}

function Size({ name, bytes, note }: { name: string; bytes: number; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={`${formatCount(bytes)} bytes`}>{formatBytes(bytes)}</dd>
      <dd className={styles.note}>{note}</dd>
    </div>
  );
}

function monthAgo(): string {
  return new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
}
