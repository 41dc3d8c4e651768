import { ErrorNote } from './ErrorNote.tsx';

/** Why a form was not accepted, above its buttons; nothing without an error. */
export function FormError({ error }: { error: Error | null }) {
  return error && <ErrorNote>{error.message}</ErrorNote>;
}
