import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../../api/client.ts';
import { type SavedView, saveView, type ViewDefinition } from '../../../api/saved-views.ts';
import { useProject } from '../../../hooks/use-project.ts';
import { useSearchState } from '../../../hooks/use-search-state.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Menu, MenuHeading, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx';
import { notify, notifyError } from '../../../ui/Toasts.tsx';
import { NameDialog } from './NameDialog.tsx';
import { type useOpenView, withAllKeys } from './use-open-view.ts';
import { newViewName } from './view-name.ts';

type ViewMenuProps = {
  opened: ReturnType<typeof useOpenView>;
  /** What the page shows now; null while the filter cannot be read. */
  definition: ViewDefinition | null;
};

/** The saved views: opens one, saves what the page shows, renames and deletes. */
export function ViewMenu({ opened: { views = [], view, isChanged, open }, definition }: ViewMenuProps) {
  const project = useProject();
  const client = useQueryClient();
  const [, change] = useSearchState();
  const [asked, setAsked] = useState<'new' | 'rename' | 'delete' | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ['objects', project.id] });
  const saving = useMutation({
    mutationFn: async (next: SavedView) => {
      await saveView(project.id, next);
      await refresh();
      return next;
    },
    onSuccess: (saved) => {
      setAsked(null);
      open(saved);
    },
  });
  const deletion = useMutation({
    mutationFn: async ({ name }: SavedView) => {
      await ask('POST /obj/delete', { body: { project_id: project.id, object_id: name } });
      await refresh();
    },
    onSuccess: () => {
      setAsked(null);
      notify('Deleted the view');
      change({ view: undefined });
    },
  });
  const askFor = (what: typeof asked) => {
    saving.reset();
    deletion.reset();
    setAsked(what);
  };
  return (
    <>
      <Menu
        trigger={
          <Button icon="list" kind={view ? 'normal' : 'quiet'}>
            {view ? `${view.label}${isChanged ? ' (changed)' : ''}` : 'Views'}
          </Button>
        }
      >
        <MenuHeading>{views.length === 0 ? 'No view is saved yet' : 'Saved views'}</MenuHeading>
        {views.map((each) => (
          <MenuItem key={each.name} {...(each === view ? { icon: 'check' as const } : {})} onSelect={() => open(each)}>
            {each.label}
          </MenuItem>
        ))}
        <MenuSeparator />
        {view && isChanged && (
          <MenuItem
            icon="check"
            isDisabled={definition === null}
            onSelect={() =>
              saving.mutate({ ...view, definition: { ...view.definition, ...definition } }, { onError: notifyError })
            }
          >
            Save the changes
          </MenuItem>
        )}
        <MenuItem icon="plus" isDisabled={definition === null} onSelect={() => askFor('new')}>
          Save as a new view…
        </MenuItem>
        {view && (
          <>
            <MenuItem icon="pencil" onSelect={() => askFor('rename')}>
              Rename…
            </MenuItem>
            <MenuItem icon="trash" isDanger onSelect={() => askFor('delete')}>
              Delete…
            </MenuItem>
            <MenuItem icon="close" onSelect={() => change({ ...withAllKeys({}), view: undefined })}>
              Show all calls again
            </MenuItem>
          </>
        )}
      </Menu>
      {asked === 'new' && definition && (
        <NameDialog
          title="Save as a new view"
          taken={views}
          initial=""
          error={saving.error}
          isBusy={saving.isPending}
          onClose={() => setAsked(null)}
          onName={(label) => saving.mutate({ name: newViewName(label, views), label, definition })}
        />
      )}
      {asked === 'rename' && view && (
        <NameDialog
          title="Rename the view"
          taken={views.filter((each) => each !== view)}
          initial={view.label}
          error={saving.error}
          isBusy={saving.isPending}
          onClose={() => setAsked(null)}
          onName={(label) => saving.mutate({ ...view, label })}
        />
      )}
      <Dialog
        isOpen={asked === 'delete' && view !== undefined}
        onClose={() => setAsked(null)}
        title={`Delete the view “${view?.label}”?`}
        description={deletion.error?.message ?? 'Its calls stay. Links to the view no longer work.'}
        actions={
          <>
            <Button onClick={() => setAsked(null)}>Cancel</Button>
            <Button kind="danger" disabled={deletion.isPending} onClick={() => view && deletion.mutate(view)}>
              {deletion.isPending ? 'Deleting…' : 'Delete the view'}
            </Button>
          </>
        }
      />
    </>
  );
}
