import { recordOf, writeJson } from '../../format/json.ts';
import { Part } from './Said.tsx';
import styles from './SentAlong.module.css';

type SentAlongProps = { parameters: Record<string, unknown>; attached: unknown[]; left: string[] };

/** What of a call is sent beside the messages and the settings, and what cannot be sent. */
export function SentAlong({ parameters: { tools, ...others }, attached, left }: SentAlongProps) {
  const names = (Array.isArray(tools) ? tools : []).map((tool) => String(recordOf(recordOf(tool).function).name));
  const values = Object.entries(others).map(([name, value]) => `${name} ${writeJson(value)}`);
  const sent = [...(names.length > 0 ? [`the tools ${names.join(', ')}`] : []), ...values];
  if (sent.length + attached.length + left.length === 0) return null;
  return (
    <div className={styles.along}>
      {attached.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its position
        <Part key={index} part={recordOf(part)} />
      ))}
      {sent.length > 0 && <p>Also sent: {sent.join(' · ')}</p>}
      {left.length > 0 && <p>Not sent: {left.join(', ')}</p>}
    </div>
  );
}
