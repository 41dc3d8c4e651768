import { MediaView } from '../../features/chat/MediaView.tsx';
import { recordOf, writeJson } from '../../format/json.ts';
import styles from './Conversation.module.css';
import type { Message } from './use-chat.ts';

/** A message as it is sent: its text and images, and the tools that it calls. */
export function Said({ message: { role, content, tool_calls: calls } }: { message: Message }) {
  const parts = Array.isArray(content) ? content : content == null ? [] : [{ type: 'text', text: content }];
  const called = Array.isArray(calls) ? calls.map((call) => recordOf(recordOf(call).function)) : [];
  return (
    <div className={role === 'user' ? styles.user : undefined}>
      <p className={styles.role}>{role}</p>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its position
        <Part key={index} part={recordOf(part)} />
      ))}
      {called.map(({ name, arguments: args }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call is its position
        <p key={index} className={styles.text}>
          <code>{`${name}(${args ?? ''})`}</code>
        </p>
      ))}
    </div>
  );
}

/** A text or an image. */
export function Part({ part }: { part: Record<string, unknown> }) {
  const { url } = recordOf(part.image_url);
  if (typeof url === 'string') return <MediaView media={{ type: 'image', url }} />;
  return <p className={styles.text}>{typeof part.text === 'string' ? part.text : writeJson(part)}</p>;
}
