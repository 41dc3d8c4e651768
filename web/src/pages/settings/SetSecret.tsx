import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { Secret } from '../../api/settings.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { type ProjectAddress, projectIdOf } from '../../urls.ts';

type SetSecretProps = { project: ProjectAddress; onSet: () => unknown; onClose: () => void };

export function SetSecret({ project, onSet, onClose }: SetSecretProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState('');
  const [scope, setScope] = useState<Secret['scope']>('project');
  return (
    <FormDialog
      title="Set a provider key"
      description="A key of the same name is replaced."
      action="Set"
      isComplete={name.trim() !== '' && value.trim() !== ''}
      run={async () => {
        const given = hosts.split(/[\s,]+/).filter(Boolean);
        const body = { project_id: projectIdOf(project), scope, name: name.trim(), value: value.trim() };
        await ask('PUT /secrets', { body: { ...body, hosts: given.length > 0 ? given : null } });
        await onSet();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The provider's name for it, such as OPENAI_API_KEY or ANTHROPIC_API_KEY."
        value={name}
        autoFocus
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Value"
        type="password"
        autoComplete="new-password"
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <TextField
        label="Hosts it may be sent to (optional)"
        hint="Without hosts, the key of a known provider goes only to this provider, and any other key to every provider."
        placeholder="llm.example.com"
        value={hosts}
        spellCheck={false}
        onChange={(event) => setHosts(event.target.value)}
      />
      <Select
        label="Used by"
        value={scope}
        options={[
          { value: 'project', label: `this project, ${project.project}` },
          { value: 'entity', label: `all projects of ${project.entity}` },
        ]}
        onChange={setScope}
      />
    </FormDialog>
  );
}
