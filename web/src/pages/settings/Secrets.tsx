import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import { type Secret, secretsQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Status.tsx';
import { type ProjectAddress, projectIdOf } from '../../urls.ts';
import { actionColumn } from './action-column.tsx';
import { ListOf, Section } from './Section.tsx';
import { SetSecret } from './SetSecret.tsx';

/** The API keys of model providers that the project uses. */
export function Secrets({ project }: { project: ProjectAddress }) {
  const projectId = projectIdOf(project);
  const query = useQuery(secretsQuery(projectId));
  const [isSetting, setIsSetting] = useState(false);
  const [removed, setRemoved] = useState<Secret | null>(null);
  const columns = useMemo(() => columnsOf(project, setRemoved), [project]);
  const reload = () => readAgain({ queryKey: ['secrets', projectId] });
  const add = (
    <Button icon="plus" kind="primary" onClick={() => setIsSetting(true)}>
      Set provider key
    </Button>
  );
  return (
    <Section
      title="Provider keys"
      description="heddle sends these keys when the playground, evaluations or programs ask a provider's model through this server. They are stored encrypted, and nobody can read them again."
      action={add}
    >
      <ListOf
        query={query}
        label="provider keys"
        empty={
          <Empty icon="key" title="No provider keys yet">
            Models that this server runs need none. To ask models of a provider, set its key.
          </Empty>
        }
      >
        {(secrets) => (
          <DataTable
            label="Provider keys"
            columns={columns}
            items={secrets}
            keyOf={({ scope, name }) => `${scope} ${name}`}
          />
        )}
      </ListOf>
      {isSetting && <SetSecret project={project} onSet={reload} onClose={() => setIsSetting(false)} />}
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          description={
            removed.scope === 'entity'
              ? `All projects of ${project.entity} stop using it. This cannot be undone.`
              : 'The project stops using it. This cannot be undone.'
          }
          action="Remove"
          run={async () => {
            const { name, scope } = removed;
            await ask('DELETE /secrets/{name}', { params: { name }, query: { project_id: projectId, scope } });
            await reload();
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </Section>
  );
}

function columnsOf({ entity, project }: ProjectAddress, onRemove: (secret: Secret) => void): TableColumn<Secret>[] {
  return [
    { id: 'name', title: 'Name', width: 220, cell: ({ name }) => <code>{name}</code> },
    {
      id: 'scope',
      title: 'Used by',
      width: 220,
      cell: ({ scope }) => (scope === 'entity' ? `all projects of ${entity}` : project),
    },
    { id: 'hosts', title: 'Sent to', width: 240, cell: ({ hosts }) => hosts.join(', ') || 'any provider' },
    { id: 'updated', title: 'Set', width: 110, cell: ({ updated_at }) => <TimeAgo time={updated_at} /> },
    actionColumn((secret) => (
      <IconButton icon="trash" label={`Remove ${secret.name}`} onClick={() => onRemove(secret)} />
    )),
  ];
}
