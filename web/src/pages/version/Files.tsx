import { useQuery } from '@tanstack/react-query';
import { fileTextQuery, type ObjectVersion } from '../../api/objects.ts';
import { useProject } from '../../features/use-project.ts';
import { recordOf } from '../../format/json.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './VersionPage.module.css';

type StoredFile = { name: string; digest: string };

/** The text files of a version, such as the code of an op. */
export function Files({ files }: { files: StoredFile[] }) {
  return (
    <div className={styles.files}>
      {files.map((file) => (
        <FileText key={file.name} file={file} />
      ))}
    </div>
  );
}

export function filesOf({ val }: ObjectVersion): StoredFile[] {
  return Object.entries(recordOf(recordOf(val).files)).flatMap(([name, digest]) =>
    typeof digest === 'string' && textFile.test(name) ? [{ name, digest }] : [],
  );
}

/** Images and other media are not shown as text. */
const textFile = /\.(py|ts|js|mjs|json|txt|md|yaml|yml|toml)$/;

function FileText({ file }: { file: StoredFile }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(fileTextQuery(project.id, file.digest));
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  return data === undefined ? <Loading label={`Loading ${file.name}`} /> : <CodeBlock label={file.name} text={data} />;
}
