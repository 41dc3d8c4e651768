import type { Examination } from '../../api/settings.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { formatCount } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './VllmServersTable.module.css';

type Server = Examination['vllm_servers'][number];

/** The vLLM servers that are set: whether they get requests, and what they run. */
export function VllmServersTable({ servers }: { servers: Server[] }) {
  return (
    <Table label="vLLM servers">
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
          <th scope="col">Models</th>
          <th scope="col">Version</th>
          <th scope="col">Adapters</th>
          <th scope="col" data-align="end" title="Requests of all clients that the server computes">
            Running
          </th>
          <th scope="col" data-align="end" title="Requests of all clients that wait for their turn there">
            Waiting
          </th>
          <th scope="col" data-align="end" title="Requests that heddle has sent there">
            In flight
          </th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <tr key={server.address}>
            <th scope="row">
              <strong>{server.address}</strong>
            </th>
            <td>
              <Badge tone={states[server.circuit].tone}>{states[server.circuit].word}</Badge>
              {server.reason && <span className={styles.reason}>{server.reason}</span>}
            </td>
            <td>
              <TimeAgo time={server.since} />
            </td>
            <td>{server.models.join(', ') || '–'}</td>
            <td>{server.version ?? '–'}</td>
            <td title={server.adapters.join('\n')}>{adaptersOf(server)}</td>
            <td data-align="end">{countOf(server.running)}</td>
            <td data-align="end">{countOf(server.waiting)}</td>
            <td data-align="end">{formatCount(server.in_flight)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const states = {
  closed: { tone: 'success', word: 'up' },
  halfOpen: { tone: 'warning', word: 'up again' },
  open: { tone: 'error', word: 'down' },
} as const;

function adaptersOf({ adapters, loads_adapters }: Server): string {
  if (adapters.length > 0) return `${formatCount(adapters.length)} loaded`;
  if (loads_adapters === null || loads_adapters === undefined) return '–';
  return loads_adapters ? 'none loaded' : 'cannot be loaded';
}

function countOf(count: number | null | undefined): string {
  return count === null || count === undefined ? '–' : formatCount(count);
}
