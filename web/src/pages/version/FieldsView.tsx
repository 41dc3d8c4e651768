import { useQuery } from '@tanstack/react-query';
import { objectConversationQuery } from '../../api/conversations.ts';
import type { ObjectVersion } from '../../api/objects.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { ConversationView } from '../../features/chat/ConversationView.tsx';
import { MediaList } from '../../features/chat/MediaList.tsx';
import { VariableText } from '../../features/chat/VariableText.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { useProject } from '../../features/use-project.ts';
import { recordOf } from '../../format/json.ts';
import { parseObjectRef } from '../../refs.ts';
import styles from './FieldsView.module.css';
import { fieldsOf } from './fields.ts';

/** A version as what it is: a prompt as its messages, any other object as its fields, with links to what they name. */
export function FieldsView({ object }: { object: ObjectVersion }) {
  const project = useProject();
  const { data, isPending } = useQuery(objectConversationQuery(project.id, object.object_id, object.digest));
  const { conversation = null, media = [] } = data ?? {};
  const hidden = isPrompt(object.val) && (conversation || isPending) ? messageFields : noFields;
  const fields = fieldsOf(object.val).filter(([name]) => !hidden.has(name));
  return (
    <div className={styles.view}>
      {conversation && <ConversationView conversation={conversation} hasVariables />}
      <MediaList media={media} />
      <dl className={styles.fields} aria-label="Fields">
        {fields.map(([name, value]) => (
          <div key={name} className={styles.field}>
            <dt>{name}</dt>
            <dd>
              <Value name={name} value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The fields of a prompt that are its messages. */
const messageFields = new Set(['messages', 'content', 'data']);
const noFields = new Set<string>();

function isPrompt(value: unknown): boolean {
  const { _class_name: name, _bases: bases } = recordOf(value);
  return /Prompt$/.test(String(name)) || (Array.isArray(bases) && bases.includes('Prompt'));
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (typeof value === 'string') {
    if (parseObjectRef(value)) return <RefLink value={value} />;
    return /prompt|template/.test(name) ? <VariableText text={value} /> : <p className={styles.text}>{value}</p>;
  }
  if (Array.isArray(value) && value.length > 0 && value.every((each) => parseObjectRef(each))) {
    return (
      <ul className={styles.refs}>
        {(value as string[]).map((ref) => (
          <li key={ref}>
            <RefLink value={ref} />
          </li>
        ))}
      </ul>
    );
  }
  if (Array.isArray(value) || Object.keys(recordOf(value)).length > 0) return <JsonViewer label={name} value={value} />;
  return <code>{String(value)}</code>;
}
