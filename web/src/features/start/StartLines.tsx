import { useState } from 'react';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Select } from '../../ui/Select.tsx';
import styles from './StartLines.module.css';
import { type StartClient, startLines } from './start-lines.ts';

/** The lines that bring the first traces into a project, with the address of this server. */
export function StartLines({ projectId }: { projectId: string }) {
  const [client, setClient] = useState<StartClient>('python');
  const { environment, program, language } = startLines(client, { url: location.origin, projectId });
  return (
    <div className={styles.lines}>
      <Select label="Your program uses" value={client} options={clients} onChange={setClient} />
      <CodeBlock label="Shell" text={environment} />
      <CodeBlock label={language} text={program} />
      <p className={styles.wait} role="status">
        <span className={styles.dot} /> Waiting for the first trace. This page then shows it.
      </p>
    </div>
  );
}

const clients = [
  { value: 'python', label: 'Python, with weave' },
  { value: 'js', label: 'JavaScript, with weave' },
  { value: 'otel', label: 'OpenTelemetry, from any language' },
  { value: 'openai', label: "OpenAI's SDK, with a model that heddle serves" },
] as const;
