import { useQuery } from '@tanstack/react-query';
import { fileUrlQuery, type Media } from '../../api/conversations.ts';
import { formatBytes } from '../../format/numbers.ts';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { useProject } from '../use-project.ts';
import styles from './MediaView.module.css';

/** An image, sound, video or file of a payload. Nothing is loaded from other servers: their addresses are shown. */
export function MediaView({ media }: { media: Media }) {
  const { url, digest } = media;
  if (digest) return <StoredMedia media={media} digest={digest} />;
  if (url?.startsWith('data:')) return <Content media={media} url={url} />;
  return (
    <p className={styles.elsewhere}>
      {titleOf(media)}
      {url ? <Address url={url} /> : media.bytes ? ' is too large to be shown; the data has it' : ''}
    </p>
  );
}

function Address({ url }: { url: string }) {
  const isLink = /^https?:/i.test(url);
  return (
    <>
      {' at '}
      {isLink ? (
        <a href={url} target="_blank" rel="noreferrer noopener" className={styles.address}>
          {url}
        </a>
      ) : (
        <code className={styles.address}>{url}</code>
      )}
      , which is not loaded
    </>
  );
}

function StoredMedia({ media, digest }: { media: Media; digest: string }) {
  const project = useProject();
  const { data, error, refetch } = useQuery(fileUrlQuery(project.id, digest, media.mime_type ?? null));
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  return data === undefined ? <Loading label={`Loading ${titleOf(media)}`} /> : <Content media={media} url={data} />;
}

function Content({ media, url }: { media: Media; url: string }) {
  return (
    <figure className={styles.media}>
      <Shown media={media} url={url} />
      <figcaption className={styles.caption}>
        <a href={url} download={media.name ?? `${media.type}.${endingOf(media)}`}>
          {media.name ?? media.mime_type ?? media.type}
        </a>
        {media.bytes != null && <span>{formatBytes(media.bytes)}</span>}
      </figcaption>
    </figure>
  );
}

function Shown({ media, url }: { media: Media; url: string }) {
  switch (media.type) {
    case 'image':
      return <img src={url} alt={media.name ?? 'Part of the data'} className={styles.image} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: recordings of payloads have none
      return <audio controls src={url} className={styles.audio} />;
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: as above
      return <video controls src={url} className={styles.image} />;
    case 'file':
      return null;
    default:
      return media.type satisfies never;
  }
}

function titleOf({ type, name }: Media): string {
  return name ? `${type} ${name}` : type;
}

function endingOf({ mime_type }: Media): string {
  return mime_type?.split('/')[1]?.replace(/\W.*$/, '') ?? 'bin';
}
