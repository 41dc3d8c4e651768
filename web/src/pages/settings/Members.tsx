import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import { type Member, membersQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { notify } from '../../ui/Toasts.tsx';
import { actionColumn } from './action-column.tsx';
import { ListOf, Section } from './Section.tsx';

/** Who can read and write the projects of the entity. Only the owner of the server changes this. */
export function Members({ entity, isOwner }: { entity: string; isOwner: boolean }) {
  const query = useQuery(membersQuery(entity));
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Member | null>(null);
  const columns = useMemo(() => columnsOf(isOwner ? setRemoved : null), [isOwner]);
  const reload = () => readAgain({ queryKey: ['members', entity] });
  return (
    <Section
      title="Members"
      description={
        <>
          Members can read and write every project of <strong>{entity}</strong>.
          {!isOwner && ' Only the owner of this server can add and remove them.'}
        </>
      }
      action={
        isOwner && (
          <Button icon="plus" kind="primary" onClick={() => setIsAdding(true)}>
            Add member
          </Button>
        )
      }
    >
      <ListOf query={query} label="members" empty={null}>
        {(members) => (
          <DataTable label="Members" columns={columns} items={members} keyOf={({ username }) => username} />
        )}
      </ListOf>
      {isAdding && <AddMember entity={entity} onAdded={reload} onClose={() => setIsAdding(false)} />}
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.username} from ${entity}?`}
          description="They can no longer reach its projects. Their API keys stay valid for other projects, and what they wrote stays."
          action="Remove"
          run={async () => {
            const params = { entity, username: removed.username };
            await ask('DELETE /entities/{entity}/members/{username}', { params });
            await reload();
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </Section>
  );
}

function AddMember({ entity, onAdded, onClose }: { entity: string; onAdded: () => unknown; onClose: () => void }) {
  const [username, setUsername] = useState('');
  return (
    <FormDialog
      title={`Add a member to ${entity}`}
      description="A user with this name is created if there is none. They need an API key to sign in."
      action="Add"
      isComplete={username.trim() !== ''}
      run={async () => {
        const body = { username: username.trim() };
        const added = await ask('POST /entities/{entity}/members', { params: { entity }, body });
        await onAdded();
        notify(
          added.is_new_user ? `Created ${added.username}. Create an API key for them next.` : `Added ${added.username}`,
        );
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label="User name" value={username} autoFocus onChange={(event) => setUsername(event.target.value)} />
    </FormDialog>
  );
}

function columnsOf(onRemove: ((member: Member) => void) | null): TableColumn<Member>[] {
  return [
    { id: 'user', title: 'User', width: 150, cell: ({ username }) => username },
    {
      id: 'role',
      title: 'Access',
      width: 170,
      cell: ({ is_owner }) => (is_owner ? <Badge tone="accent">owner of this server</Badge> : <Badge>member</Badge>),
    },
    actionColumn(
      (member) =>
        onRemove &&
        !member.is_owner && (
          <IconButton icon="trash" label={`Remove ${member.username}`} onClick={() => onRemove(member)} />
        ),
    ),
  ];
}
