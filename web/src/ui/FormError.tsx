import styles from './FormError.module.css';

/** Why a form was not accepted, above its buttons; nothing without an error. */
export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <p className={styles.error} role="alert">
      {error.message}
    </p>
  );
}
