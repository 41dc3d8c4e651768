import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import type { Session } from '../../api/session.ts';
import { type ApiKey, keysQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Status.tsx';
import { actionColumn } from './action-column.tsx';
import { CreateKey } from './CreateKey.tsx';
import { ListOf, Section } from './Section.tsx';

/** The keys of the user; for the owner of the server, those of all users. */
export function Keys({ session, entity }: { session: Session; entity: string }) {
  const query = useQuery(keysQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const columns = useMemo(() => columnsOf(setRevoked), []);
  const reload = () => readAgain({ queryKey: keysQuery.queryKey });
  return (
    <Section
      title="API keys"
      description="Programs send a key with each request. The server stores only its hash, so a key is shown once, when it is created."
      action={
        <Button icon="plus" kind="primary" onClick={() => setIsCreating(true)}>
          Create key
        </Button>
      }
    >
      <ListOf query={query} label="keys" empty={<Empty icon="key" title="You have no API keys" />}>
        {(keys) => <DataTable label="API keys" columns={columns} items={keys} keyOf={({ id }) => id} />}
      </ListOf>
      {isCreating && (
        <CreateKey session={session} entity={entity} onMade={reload} onClose={() => setIsCreating(false)} />
      )}
      {revoked && (
        <ConfirmDialog
          title={`Revoke the key “${revoked.name}” of ${revoked.username}?`}
          description={`Requests with the key that ends in ${revoked.ending} are rejected from now on, and whoever signed in with it is signed out. This cannot be undone.`}
          action="Revoke"
          run={async () => {
            await ask('DELETE /keys/{key_id}', { params: { key_id: revoked.id } });
            await reload();
          }}
          onClose={() => setRevoked(null)}
        />
      )}
    </Section>
  );
}

function columnsOf(onRevoke: (key: ApiKey) => void): TableColumn<ApiKey>[] {
  return [
    { id: 'name', title: 'Name', width: 220, cell: ({ name }) => name },
    { id: 'ending', title: 'Key', width: 90, cell: ({ ending }) => <code>…{ending}</code> },
    { id: 'user', title: 'User', width: 160, cell: ({ username }) => username },
    { id: 'created', title: 'Created', width: 120, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    {
      id: 'status',
      title: 'Status',
      width: 150,
      cell: ({ revoked_at }) =>
        revoked_at == null ? (
          <Badge tone="success">active</Badge>
        ) : (
          <>
            <Badge>revoked</Badge> <TimeAgo time={revoked_at} />
          </>
        ),
    },
    actionColumn(
      (key) =>
        key.revoked_at == null && (
          <IconButton icon="trash" label={`Revoke the key ${key.name}`} onClick={() => onRevoke(key)} />
        ),
    ),
  ];
}
