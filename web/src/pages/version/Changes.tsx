import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { objectConversationQuery } from '../../api/conversations.ts';
import {
  comparedRowsMax,
  fileTextQuery,
  type ObjectVersion,
  tableOf,
  tableStartQuery,
  versionQuery,
} from '../../api/objects.ts';
import { Diff } from '../../components/diff/Diff.tsx';
import { MessagesDiff } from '../../features/chat/MessagesDiff.tsx';
import { useProject } from '../../features/use-project.ts';
import { writeJson } from '../../format/json.ts';
import { formatCount } from '../../format/numbers.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { filesOf } from './Files.tsx';
import styles from './VersionPage.module.css';
import { versionTitle } from './version-title.ts';

/** What a version changed, compared with the one before it or any other. */
export function Changes({ object, versions }: { object: ObjectVersion; versions: ObjectVersion[] }) {
  const project = useProject();
  const [search, change] = useSearchState();
  const others = versions.filter(({ digest }) => digest !== object.digest);
  const previous = others.find(({ version_index }) => version_index < object.version_index) ?? others[0];
  const chosen = others.find(({ digest }) => digest === search.with) ?? previous;
  const other = useQuery(versionQuery(project.id, object.object_id, chosen?.digest ?? ''));
  if (!chosen) {
    return (
      <Empty icon="clock" title="This is the only version">
        Publish it again with another value to see what changed.
      </Empty>
    );
  }
  if (other.error) return <ErrorMessage error={other.error} onRetry={other.refetch} />;
  return (
    <div className={styles.changes}>
      <div className={styles.with}>
        <Select
          label="Compared with"
          isLabelHidden
          value={chosen.digest}
          options={others.map((each) => ({ value: each.digest, label: `Compared with ${versionTitle(each)}` }))}
          onChange={(digest) => change({ with: digest })}
        />
        <span className={styles.note}>− only there · + only here</span>
      </div>
      {other.data?.digest === chosen.digest ? (
        <Compared before={other.data} after={object} />
      ) : (
        <Loading label="Loading the other version" />
      )}
    </div>
  );
}

function Compared({ before, after }: { before: ObjectVersion; after: ObjectVersion }) {
  const [tableBefore, tableAfter] = [tableOf(before), tableOf(after)];
  const codeBefore = filesOf(before);
  const { id } = useProject();
  const conversations = useQueries({
    queries: [before, after].map(({ object_id, digest }) => objectConversationQuery(id, object_id, digest)),
    combine: (read) => ({
      isLoading: read.some(({ isLoading }) => isLoading),
      messages: read.map(({ data }) => data?.conversation?.input ?? null),
    }),
  });
  if (conversations.isLoading) return <Loading label="Loading the messages" />;
  const [messagesBefore, messagesAfter] = conversations.messages;
  const value = <Diff label="Value" before={linesOf(before.val)} after={linesOf(after.val)} />;
  return (
    <>
      {messagesBefore && messagesAfter ? (
        <>
          <MessagesDiff before={messagesBefore} after={messagesAfter} />
          <details>
            <summary>As JSON</summary>
            {value}
          </details>
        </>
      ) : (
        value
      )}
      {tableBefore !== null && tableAfter !== null && <ComparedRows before={tableBefore} after={tableAfter} />}
      {filesOf(after).map(({ name, digest }) => {
        const old = codeBefore.find((file) => file.name === name);
        return old && <ComparedFile key={name} name={name} before={old.digest} after={digest} />;
      })}
    </>
  );
}

function ComparedRows({ before, after }: { before: string; after: string }) {
  const { id } = useProject();
  const old = useQuery(tableStartQuery(id, before));
  const now = useQuery(tableStartQuery(id, after));
  const lines = useMemo(
    () => [old.data, now.data].map((rows) => rows?.map(({ val }) => writeJson(val)) ?? null),
    [old.data, now.data],
  );
  const error = old.error ?? now.error;
  if (error) return <ErrorMessage error={error} onRetry={() => void Promise.all([old.refetch(), now.refetch()])} />;
  if (!lines[0] || !lines[1]) return <Loading label="Loading rows" />;
  const isCut = lines.some((each) => each!.length === comparedRowsMax);
  return (
    <>
      <Diff label="Rows" before={lines[0]} after={lines[1]} />
      {isCut && <p className={styles.note}>Only the first {formatCount(comparedRowsMax)} rows are compared.</p>}
    </>
  );
}

function ComparedFile({ name, before, after }: { name: string; before: string; after: string }) {
  const { id } = useProject();
  const old = useQuery(fileTextQuery(id, before));
  const now = useQuery(fileTextQuery(id, after));
  const error = old.error ?? now.error;
  if (error) return <ErrorMessage error={error} onRetry={() => void Promise.all([old.refetch(), now.refetch()])} />;
  if (old.data === undefined || now.data === undefined) return <Loading label={`Loading ${name}`} />;
  return <Diff label={name} before={old.data.split('\n')} after={now.data.split('\n')} />;
}

function linesOf(value: unknown): string[] {
  return writeJson(value, 2).split('\n');
}
