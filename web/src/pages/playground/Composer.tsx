import { type FormEvent, type KeyboardEvent, useId } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import styles from './Composer.module.css';

type ComposerProps = {
  draft: string;
  /** Whether there is something to answer without a text. */
  canBeEmpty: boolean;
  onChange: (draft: string) => void;
  /** Why nothing can be sent now, such as a missing model. */
  obstacle: string | null;
  isBusy: boolean;
  onSend: () => void;
  onStop: () => void;
};

/** Enter sends, Shift and Enter start a new line. */
export function Composer({ draft, canBeEmpty, onChange, obstacle, isBusy, onSend, onStop }: ComposerProps) {
  const id = useId();
  const canSend = obstacle === null && !isBusy && (canBeEmpty || draft.trim() !== '');
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (canSend) onSend();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
  };
  return (
    <form className={styles.composer} onSubmit={send}>
      <label htmlFor={id} className="visually-hidden">
        Message
      </label>
      <TextArea
        id={id}
        className={styles.text}
        rows={3}
        placeholder="Message"
        aria-describedby={`${id}-note`}
        value={draft}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.foot}>
        <span id={`${id}-note`} className={styles.note}>
          {obstacle ?? 'Enter sends, Shift + Enter starts a new line'}
        </span>
        {isBusy ? (
          <Button icon="pause" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button kind="primary" type="submit" icon="arrowUp" disabled={!canSend}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
