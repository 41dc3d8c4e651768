import { useQuery } from '@tanstack/react-query';
import { artifactFilesQuery, jsonFileQuery, type RunFile } from '../../api/runs.ts';
import { isNumber, writeJson } from '../../format/json.ts';
import { formatCount } from '../../format/numbers.ts';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './LoggedTable.module.css';

type LoggedTableProps = {
  label: string;
  file: RunFile;
  /** `wandb-client-artifact://ID/NAME` of the artifact that has the pictures of its cells. */
  artifactPath: string;
};

/** The first rows of a table that a run logged. */
export function LoggedTable({ label, file, artifactPath }: LoggedTableProps) {
  const { data, error, refetch } = useQuery(jsonFileQuery(file));
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (data === undefined) return <Loading label={`Loading ${label}`} />;
  const { columns = [], data: all = [] } = data as { columns?: unknown[]; data?: unknown[][] };
  const rows = all.slice(0, rowsMax);
  return (
    <>
      <Table label={label} className={styles.table}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={String(name)}>{String(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={String(columns[column])} data-align={isNumber(cell) ? 'end' : undefined}>
                  <Cell value={cell} artifactPath={artifactPath} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <p className={styles.count}>
        {all.length > rowsMax
          ? `The first ${rowsMax} of ${formatCount(all.length)} rows. `
          : `${formatCount(all.length)} ${all.length === 1 ? 'row' : 'rows'}. `}
        <a href={file.url} download={file.name.split('/').at(-1)}>
          Download the table
        </a>
      </p>
    </>
  );
}

const rowsMax = 100;

function Cell({ value, artifactPath }: { value: unknown; artifactPath: string }) {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  const { _type: kind, path } = value as { _type?: string; path?: string };
  const clientId = /^wandb-client-artifact:\/\/([^/:]+)/.exec(artifactPath)?.[1];
  if (kind === 'image-file' && path !== undefined && clientId !== undefined)
    return <Picture clientId={clientId} path={path} />;
  return writeJson(value);
}

function Picture({ clientId, path }: { clientId: string; path: string }) {
  const { data } = useQuery(artifactFilesQuery(clientId, [path]));
  const file = data?.get(path);
  return file ? <img src={file.url} alt={path} className={styles.picture} /> : path;
}
