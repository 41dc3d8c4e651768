import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/client.ts';
import type { ObjectVersion } from '../../api/objects.ts';
import { readAgain } from '../../api/read-again.ts';
import { useProject } from '../../features/use-project.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { notifyError } from '../../ui/Toasts.tsx';
import styles from './VersionPage.module.css';

type Change = { kind: 'alias' | 'tag'; text: string; isAdded: boolean };

/** The aliases and tags of a version, which can be added and removed. `latest` only changes by publishing. */
export function Labels({ object }: { object: ObjectVersion }) {
  const project = useProject();
  const change = useMutation({
    mutationFn: (wanted: Change) => changeLabel(project.id, object, wanted),
    onSettled: () => readAgain({ queryKey: ['objects', project.id] }),
  });
  const remove = (kind: Change['kind'], text: string) =>
    change.mutate({ kind, text, isAdded: false }, { onError: notifyError });
  const add = (kind: Change['kind']) => (text: string) => change.mutateAsync({ kind, text, isAdded: true });
  return (
    <section className={styles.labels} aria-label="Aliases and tags">
      {object.aliases?.map((alias) => (
        <span key={alias} className={styles.label}>
          <Badge tone="accent">{alias}</Badge>
          {alias !== 'latest' && (
            <IconButton
              className={styles.remove ?? ''}
              label={`Remove the alias ${alias}`}
              icon="close"
              onClick={() => remove('alias', alias)}
            />
          )}
        </span>
      ))}
      <AddLabel name="alias" onAdd={add('alias')} />
      {object.tags?.map((tag) => (
        <span key={tag} className={styles.label}>
          <Badge>{tag}</Badge>
          <IconButton
            className={styles.remove ?? ''}
            label={`Remove the tag ${tag}`}
            icon="close"
            onClick={() => remove('tag', tag)}
          />
        </span>
      ))}
      <AddLabel name="tag" onAdd={add('tag')} />
    </section>
  );
}

function AddLabel({ name, onAdd }: { name: 'alias' | 'tag'; onAdd: (text: string) => Promise<unknown> }) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await onAdd(text.trim());
      setText('');
      setError(null);
      setIsOpen(false);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <Popover
      label={`Add ${name}`}
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <Button kind="quiet" icon="plus">
          Add {name}
        </Button>
      }
    >
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <TextField
          label={name === 'alias' ? 'Alias' : 'Tag'}
          value={text}
          error={error}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          Add
        </Button>
      </form>
    </Popover>
  );
}

function changeLabel(project_id: string, { object_id, digest }: ObjectVersion, { kind, text, isAdded }: Change) {
  if (kind === 'alias') {
    const params = { object_id };
    return isAdded
      ? ask('PUT /objs/{object_id}/aliases', { params, body: { project_id, digest, aliases: [text] } })
      : ask('POST /objs/{object_id}/aliases/remove', { params, body: { project_id, aliases: [text] } });
  }
  const [params, body] = [
    { object_id, digest },
    { project_id, tags: [text] },
  ];
  return isAdded
    ? ask('PUT /objs/{object_id}/versions/{digest}/tags', { params, body })
    : ask('POST /objs/{object_id}/versions/{digest}/tags/remove', { params, body });
}
