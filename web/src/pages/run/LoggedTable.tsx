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
  /** `wandb-client-artifact://ID/NAME` of the same table with its pictures; the file has only the word `Image`. */
  artifactPath: string;
};

/** The first rows of a table that a run logged. */
export function LoggedTable({ label, file, artifactPath }: LoggedTableProps) {
  const [, clientId = '', name = ''] = /^wandb-client-artifact:\/\/([^/:]+)\/(.+)$/.exec(artifactPath) ?? [];
  const { data: files, isLoading } = useQuery({ ...artifactFilesQuery(clientId, [name]), enabled: clientId !== '' });
  if (isLoading) return <Loading label={`Loading ${label}`} />;
  return <TableOfFile label={label} file={files?.get(name) ?? file} clientId={clientId} />;
}

function TableOfFile({ label, file, clientId }: { label: string; file: RunFile; clientId: string }) {
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
            {columns.map((name, column) => (
              <th key={String(name)} data-align={isNumber(rows[0]?.[column]) ? 'end' : undefined}>
                {String(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={String(columns[column])} data-align={isNumber(cell) ? 'end' : undefined}>
                  <Cell value={cell} clientId={clientId} />
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

function Cell({ value, clientId }: { value: unknown; clientId: string }) {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  const { _type: kind, path } = value as { _type?: string; path?: string };
  if (kind === 'image-file' && path !== undefined) return <Picture clientId={clientId} path={path} />;
  return writeJson(value);
}

function Picture({ clientId, path }: { clientId: string; path: string }) {
  const { data } = useQuery(artifactFilesQuery(clientId, [path]));
  const file = data?.get(path);
  return file ? <img src={file.url} alt={path} className={styles.picture} /> : path;
}
