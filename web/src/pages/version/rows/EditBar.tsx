import { Button } from '../../../ui/Button.tsx';
import styles from './Rows.module.css';
import { editsSummary, hasEdits, type RowEdits } from './row-edits.ts';

type EditBarProps = {
  edits: RowEdits;
  error: Error | null;
  isBusy: boolean;
  onAdd: () => void;
  onCancel: () => void;
  onPublish: () => void;
};

/** What has been edited, and the button that publishes it. */
export function EditBar({ edits, error, isBusy, onAdd, onCancel, onPublish }: EditBarProps) {
  return (
    <div className={styles.bar}>
      <Button icon="plus" onClick={onAdd}>
        Add a row
      </Button>
      <span className={styles.note} role="status">
        {editsSummary(edits)}
      </span>
      <Button onClick={onCancel}>{hasEdits(edits) ? 'Discard the changes' : 'Stop editing'}</Button>
      <Button kind="primary" disabled={!hasEdits(edits) || isBusy} onClick={onPublish}>
        {isBusy ? 'Publishing…' : 'Publish a new version'}
      </Button>
      {error && (
        <p role="alert" className={styles.error}>
          {error.message}
        </p>
      )}
    </div>
  );
}
