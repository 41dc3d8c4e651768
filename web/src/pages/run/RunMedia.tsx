import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, filesQuery, type Logged, type RunFile, valuesQuery } from '../../api/runs.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatBytes } from '../../format/numbers.ts';
import { Select } from '../../ui/Select.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Histogram } from './Histogram.tsx';
import { LoggedTable } from './LoggedTable.tsx';
import styles from './RunMedia.module.css';

/** What a client logs for a picture, a table and the like. */
type MediaValue = {
  _type?: string;
  path?: string;
  caption?: string;
  filenames?: string[];
  captions?: string[];
  artifact_path?: string;
};

/** What a run logs besides numbers: pictures, sounds, tables and files, of the step that the user chooses. */
export function RunMedia({ runId, columns }: { runId: string; columns: Column[] }) {
  const { id: _id, ...project } = useProject();
  const first = columns.slice(0, columnsMax);
  const { data, error, refetch } = useQuery(valuesQuery(project, runId, first, samples));
  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Loading media" />;
  return (
    <>
      <div className={styles.grid}>
        {first.map(({ name }, index) => (
          <MediaOfColumn key={name} runId={runId} name={name} logged={data[index] ?? []} />
        ))}
      </div>
      {columns.length > columnsMax && <p>{`The first ${columnsMax} of ${columns.length} are shown.`}</p>}
    </>
  );
}

const columnsMax = 40;
const samples = 200;

function MediaOfColumn({ runId, name, logged }: { runId: string; name: string; logged: Logged[] }) {
  const [chosen, setChosen] = useState('');
  const last = logged.at(-1);
  if (!last) return null;
  const { step, value } = logged.find((each) => String(each.step) === chosen) ?? last;
  const isWide = (value as MediaValue)._type === 'table-file';
  return (
    <section className={`${styles.card} ${isWide ? styles.wide : ''}`} aria-label={name}>
      <header className={styles.head}>
        <h3 className={styles.name}>{name}</h3>
        <Select
          label={`Step of ${name}`}
          isLabelHidden
          value={String(step)}
          options={logged.map((each) => ({ value: String(each.step), label: `step ${each.step}` }))}
          onChange={setChosen}
        />
      </header>
      <Value runId={runId} name={name} value={value} />
    </section>
  );
}

function Value({ runId, name, value }: { runId: string; name: string; value: unknown }) {
  const media = (typeof value === 'object' && value !== null ? value : {}) as MediaValue;
  const paths = media.filenames ?? (media.path === undefined ? [] : [media.path]);
  const { id: _id, ...project } = useProject();
  const { data, error, refetch } = useQuery({ ...filesQuery(project, runId, paths), enabled: paths.length > 0 });
  if (media._type === 'histogram') return <Histogram value={value} label={name} />;
  if (paths.length === 0) return <JsonViewer label="Value" value={value} openDepth={1} />;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label={`Loading ${name}`} />;
  return paths.map((path, index) => {
    const file = data.get(path);
    const caption = media.caption ?? media.captions?.[index] ?? '';
    const key = `${index} ${path}`; // equal pictures are one file
    if (!file) return <p key={key}>{`The file ${path} has not been uploaded.`}</p>;
    if (media._type === 'table-file')
      return <LoggedTable key={key} label={name} file={file} artifactPath={media.artifact_path ?? ''} />;
    return <FileView key={key} kind={media._type ?? ''} file={file} caption={caption} />;
  });
}

function FileView({ kind, file, caption }: { kind: string; file: RunFile; caption: string }) {
  const fileName = file.name.split('/').at(-1)!;
  return (
    <figure className={styles.media}>
      <Shown kind={kind} file={file} alt={caption || fileName} />
      <figcaption className={styles.caption}>
        {caption && <span>{caption}</span>}
        <a href={file.url} download={fileName}>
          {kindNames[kind] ? `${kindNames[kind]}: ${fileName}` : fileName}
        </a>
        <span>{formatBytes(file.sizeBytes)}</span>
      </figcaption>
    </figure>
  );
}

function Shown({ kind, file, alt }: { kind: string; file: RunFile; alt: string }) {
  if (kind === 'audio-file') {
    // biome-ignore lint/a11y/useMediaCaption: what programs log has none
    return <audio controls src={file.url} className={styles.sound} />;
  }
  if (kind === 'video-file' && !file.name.endsWith('.gif')) {
    // biome-ignore lint/a11y/useMediaCaption: as above
    return <video controls src={file.url} className={styles.picture} />;
  }
  if (kind === 'image-file' || kind === 'images/separated' || kind === 'video-file')
    return <img src={file.url} alt={alt} className={styles.picture} />;
  return null;
}

/** Kinds that are not drawn: what programs wrote is never run here. */
const kindNames: Record<string, string> = {
  'html-file': 'HTML',
  'plotly-file': 'Plotly chart',
  'object3D-file': '3D object',
  'molecule-file': 'Molecule',
  'bokeh-file': 'Bokeh chart',
};
