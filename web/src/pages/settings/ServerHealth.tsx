import { useQuery } from '@tanstack/react-query';
import { doctorQuery, type Examination } from '../../api/settings.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Section } from './Section.tsx';
import styles from './ServerHealth.module.css';
import { StoresTable } from './StoresTable.tsx';
import { VllmServersTable } from './VllmServersTable.tsx';

/** What `heddle doctor` shows: the state of every component, the stores, and the configuration. */
export function ServerHealth() {
  const { data, error, isFetching, refetch } = useQuery(doctorQuery);
  const findings = data?.findings ?? [];
  const problems = findings.filter(({ state }) => state !== 'good').length;
  return (
    <Section
      title="Server"
      description={data ? verdict(problems, findings.length) : 'Every component is checked, which can take 20 seconds.'}
      action={
        <Button icon="refresh" disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Checking…' : 'Check again'}
        </Button>
      }
    >
      {!data &&
        (error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Checking the server" lines={8} />)}
      {data && (
        <>
          <ul className={styles.findings} aria-label="Components">
            {findings.map((finding) => (
              <FindingLine key={finding.what} finding={finding} />
            ))}
          </ul>
          <h2 className={styles.title}>Stores</h2>
          <StoresTable stores={data.stores} />
          {data.vllm_servers.length > 0 && (
            <>
              <h2 className={styles.title}>vLLM servers</h2>
              <VllmServersTable servers={data.vllm_servers} />
            </>
          )}
          <h2 className={styles.title}>Configuration</h2>
          <div className={styles.settings}>
            <DataTable label="Configuration" columns={columns} items={data.settings} keyOf={({ name }) => name} />
          </div>
        </>
      )}
    </Section>
  );
}

function verdict(problems: number, checks: number): string {
  return problems === 0 ? `No problems found in ${checks} checks.` : `${problems} of ${checks} checks need attention.`;
}

const tones = { good: 'success', warning: 'warning', wrong: 'error' } as const;

function FindingLine({ finding: { what, state, found, advice } }: { finding: Examination['findings'][number] }) {
  return (
    <li className={styles.finding}>
      <strong>{what}</strong>
      <span>
        <Badge tone={tones[state]}>{state}</Badge>
      </span>
      <span className={styles.found}>
        {found}
        {advice && <span className={styles.advice}>{advice}</span>}
      </span>
    </li>
  );
}

const columns: TableColumn<Examination['settings'][number]>[] = [
  { id: 'name', title: 'Setting', width: 300, cell: ({ name }) => <code>{name}</code> },
  { id: 'value', title: 'Value', width: 320, cell: ({ value }) => (value === '' ? '–' : value) },
  { id: 'source', title: 'From', width: 160, cell: ({ source }) => source },
];
