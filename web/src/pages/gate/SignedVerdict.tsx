import { useMutation } from '@tanstack/react-query';
import { askBlob } from '../../api/client.ts';
import type { Gate } from '../../api/gates.ts';
import { useProject } from '../../features/use-project.ts';
import { saveBlob } from '../../hooks/save-blob.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { notifyError } from '../../ui/Toasts.tsx';
import styles from './GatePage.module.css';

/** The signed verdict as a file, and how it is verified. */
export function SignedVerdict({ gate }: { gate: Gate }) {
  const { entity, project } = useProject();
  const file = `verdict-${gate.id}.json`;
  const download = useMutation({
    mutationFn: async () => {
      const params = { entity, project, gate_id: gate.id };
      saveBlob(await askBlob('GET /v2/{entity}/{project}/gates/{gate_id}/verdict', { params }), file);
    },
    onError: notifyError,
  });
  return (
    <section className={styles.section} aria-labelledby="signed">
      <h2 id="signed">Signed verdict</h2>
      <p className={styles.note}>
        It has the plan and the differences of all threads. Anybody can verify it without this server.
      </p>
      <div className={styles.verify}>
        <Button icon="download" disabled={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
        <CodeBlock
          label="Shell"
          text={`heddle gate public-key > heddle.pem\nheddle gate verify ${file} --public-key heddle.pem`}
        />
      </div>
    </section>
  );
}
