import { useNavigate, useParams } from '@tanstack/react-router';
import { CallView } from '../../features/call/CallView.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { callUrl, projectUrl } from '../../urls.ts';
import styles from './CallPage.module.css';

/** A call on a page of its own, where the links of the SDKs lead. */
export function Page() {
  const project = useProject();
  const { callId = '' } = useParams({ strict: false }) as { callId?: string };
  const navigate = useNavigate();
  usePageTitle('Call', project.project);
  return (
    <div className={styles.page}>
      <CallView
        callId={callId}
        onFilter={(q) => void navigate({ to: projectUrl(project), search: { q } as never })}
        onChoose={(id) => void navigate({ to: callUrl(project, id), search: true as never, replace: true })}
      />
    </div>
  );
}
