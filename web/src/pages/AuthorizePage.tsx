import { PageHeader } from '../components/PageHeader.tsx';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import styles from './AuthorizePage.module.css';

/** The login prompts of the SDKs lead here. Keys are stored as hashes, so none can be shown again. */
export function Page() {
  usePageTitle('API key');
  return (
    <>
      <PageHeader title="API key for your client" />
      <div className={styles.text}>
        <p>
          A key is only shown when it is created. On the machine of the server, this command creates one; paste it where
          your client asks for it:
        </p>
        <CodeBlock label="Command" text="heddle keys create --name my-client" />
      </div>
    </>
  );
}
