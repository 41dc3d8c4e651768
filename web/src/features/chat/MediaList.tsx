import type { PlacedMedia } from '../../api/conversations.ts';
import { pathText } from '../../components/json/json-paths.ts';
import styles from './MediaList.module.css';
import { MediaView } from './MediaView.tsx';

/** The images, sounds and files of payloads, each with its place in the JSON. */
export function MediaList({ media }: { media: PlacedMedia[] }) {
  if (media.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Media">
      {media.map(({ path, media: each }) => (
        <li key={pathText(path)} className={styles.item}>
          <code className={styles.path}>{pathText(path)}</code>
          <MediaView media={each} />
        </li>
      ))}
    </ul>
  );
}
