import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { membersQuery } from '../../api/settings.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';

type CreateKeyProps = { session: Session; entity: string; onMade: () => unknown; onClose: () => void };

/** Creates a key, and shows it once. The owner of the server can choose whose it is. */
export function CreateKey({ session, entity, onMade, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [username, setUsername] = useState(session.username);
  const [key, setKey] = useState<string | null>(null);
  const { data: members = [] } = useQuery({ ...membersQuery(entity), enabled: session.is_owner && entity !== '' });
  if (key !== null) return <MadeKey apiKey={key} onClose={onClose} />;
  const users = [...new Set([session.username, ...members.map((member) => member.username)])];
  return (
    <FormDialog
      title="Create an API key"
      action="Create"
      isComplete={name.trim() !== ''}
      run={async () => {
        const made = await ask('POST /keys', { body: { name: name.trim(), username } });
        await onMade();
        setKey(made.key);
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="To recognize the key by, such as the machine or the program that uses it."
        value={name}
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      {users.length > 1 && (
        <Select
          label="User"
          value={username}
          options={users.map((value) => ({ value, label: value }))}
          onChange={setUsername}
        />
      )}
    </FormDialog>
  );
}

function MadeKey({ apiKey, onClose }: { apiKey: string; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Copy the key now"
      description="It is not shown again. If you lose it, revoke it and create another one."
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock label="API key" text={apiKey} wraps />
    </Dialog>
  );
}
