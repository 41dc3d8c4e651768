import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { linkErrorQuery, signIn } from '../api/session.ts';
import { Logo } from '../features/Logo.tsx';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Button } from '../ui/Button.tsx';
import { TextField } from '../ui/TextField.tsx';
import styles from './SignInPage.module.css';

/** Shown at every address until somebody is signed in; the address stays. */
export function SignInPage() {
  usePageTitle('Sign in');
  const [apiKey, setApiKey] = useState('');
  const { data: linkError } = useQuery(linkErrorQuery);
  const { mutate, error, isPending } = useMutation({ mutationFn: () => signIn({ apiKey }) });
  return (
    <main className={styles.page}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <h1 className={styles.title}>
          <Logo size={24} /> Sign in to heddle
        </h1>
        <TextField
          label="API key"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          error={error?.message ?? linkError}
        />
        <Button type="submit" kind="primary" disabled={isPending}>
          {isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <div className={styles.help}>
          <p>
            The first start of heddle printed a key. On the machine of the server, <code>heddle keys create</code> makes
            a new one, and <code>heddle sign-in</code> prints a link that signs you in without a key.
          </p>
        </div>
      </form>
    </main>
  );
}
