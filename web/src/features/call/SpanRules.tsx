import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { useProject } from '../use-project.ts';
import styles from './SpanRules.module.css';

/** Which attribute of the span became which field of the call, and by which rule of the mapper. */
export function SpanRules({ callId }: { callId: string }) {
  const { id: projectId } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: ['span', projectId, callId],
    queryFn: ({ signal }) =>
      ask('POST /otel/spans/explain', { body: { project_id: projectId, id: callId } }, { signal }),
  });
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Loading the span" />;
  return (
    <div className={styles.rules}>
      <Table label="Rules" className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Field of the call</th>
            <th scope="col">Attribute of the span</th>
            <th scope="col">Rule</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {data.fields.map(({ field, key, rule, value }) => (
            <tr key={`${field} ${key}`}>
              <td>{field}</td>
              <td>
                <code>{key}</code>
              </td>
              <td>{rule}</td>
              <td className={styles.value}>{value}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <Keys title="Passed over for another attribute" keys={data.passed_over} />
      <Keys title="Read by no rule" keys={data.unread} />
    </div>
  );
}

function Keys({ title, keys }: { title: string; keys: string[] }) {
  if (keys.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
