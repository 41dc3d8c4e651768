import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './TextField.module.css';

type TextFieldProps = Omit<ComponentProps<'input'>, 'size'> & {
  label: string;
  /** Labels of search fields in toolbars are only read out. */
  isLabelHidden?: boolean;
  error?: ReactNode;
  hint?: ReactNode;
};

export function TextField({ label, isLabelHidden = false, error, hint, className = '', ...rest }: TextFieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div className={`${styles.field} ${className}`}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <input
        id={id}
        className={styles.input}
        aria-invalid={error != null}
        aria-describedby={note != null ? noteId : undefined}
        {...rest}
      />
      {note != null && (
        <p
          id={noteId}
          className={error != null ? styles.error : styles.hint}
          role={error != null ? 'alert' : undefined}
        >
          {note}
        </p>
      )}
    </div>
  );
}
