import { useState } from 'react';
import { ask } from '../../../api/client.ts';
import { readAgain } from '../../../api/read-again.ts';
import { type SavedView, saveView, type ViewDefinition } from '../../../api/saved-views.ts';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { useProject } from '../../../features/use-project.ts';
import { useSearchState } from '../../../hooks/use-search-state.ts';
import { Button } from '../../../ui/Button.tsx';
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
  const [, change] = useSearchState();
  const [asked, setAsked] = useState<'new' | 'rename' | 'delete' | null>(null);
  const refresh = () => readAgain({ queryKey: ['objects', project.id] });
  const save = async (next: SavedView) => {
    await saveView(project.id, next);
    await refresh();
    setAsked(null);
    open(next);
  };
  const deleteView = async ({ name }: SavedView) => {
    await ask('POST /obj/delete', { body: { project_id: project.id, object_id: name } });
    await refresh();
    notify('Deleted the view');
    change({ view: undefined });
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
            onSelect={() => {
              save({ ...view, definition: { ...view.definition, ...definition } }).catch(notifyError);
            }}
          >
            Save the changes
          </MenuItem>
        )}
        <MenuItem icon="plus" isDisabled={definition === null} onSelect={() => setAsked('new')}>
          Save as a new view…
        </MenuItem>
        {view && (
          <>
            <MenuItem icon="pencil" onSelect={() => setAsked('rename')}>
              Rename…
            </MenuItem>
            <MenuItem icon="trash" isDanger onSelect={() => setAsked('delete')}>
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
          onClose={() => setAsked(null)}
          onName={(label) => save({ name: newViewName(label, views), label, definition })}
        />
      )}
      {asked === 'rename' && view && (
        <NameDialog
          title="Rename the view"
          taken={views.filter((each) => each !== view)}
          initial={view.label}
          onClose={() => setAsked(null)}
          onName={(label) => save({ ...view, label })}
        />
      )}
      {asked === 'delete' && view && (
        <ConfirmDialog
          title={`Delete the view “${view.label}”?`}
          description="Its calls stay. Links to the view no longer work."
          action="Delete the view"
          run={() => deleteView(view)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
