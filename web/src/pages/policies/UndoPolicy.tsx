import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { PolicyVersion } from '../../api/policies.ts';
import { readAgain } from '../../api/read-again.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { notify } from '../../ui/Toasts.tsx';
import type { ProjectAddress } from '../../urls.ts';

type UndoPolicyProps = { project: ProjectAddress; name: string; latest: PolicyVersion; before: PolicyVersion };

export function UndoPolicy({ project: { entity, project }, name, latest, before }: UndoPolicyProps) {
  const [isAsking, setIsAsking] = useState(false);
  const undo = async () => {
    const body = { version: before.number, reason: `undo version ${latest.number}` };
    const { version } = await ask('POST /v2/{entity}/{project}/policies/{name}/undo', {
      params: { entity, project, name },
      body,
    });
    notify(`Version ${version.number} is active, and equals version ${before.number}`);
    await readAgain({ queryKey: ['policies', `${entity}/${project}`] });
  };
  return (
    <>
      <Button icon="arrowLeft" onClick={() => setIsAsking(true)}>
        Undo version {latest.number}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Undo version ${latest.number}?`}
          description={`A new version equal to version ${before.number} is made: the same threads, users and requests get the variants they had then.`}
          action="Undo"
          run={undo}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
