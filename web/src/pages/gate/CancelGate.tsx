import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { Gate } from '../../api/gates.ts';
import { readAgain } from '../../api/read-again.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useProject } from '../../features/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { notify } from '../../ui/Toasts.tsx';

export function CancelGate({ gate }: { gate: Gate }) {
  const { entity, project, id: projectId } = useProject();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = async () => {
    const params = { entity, project, gate_id: gate.id };
    const { canceled } = await ask('POST /v2/{entity}/{project}/gates/{gate_id}/cancel', { params });
    notify(canceled ? 'The gate is canceled' : 'The gate had already ended');
    await readAgain({ queryKey: ['gates', projectId] });
  };
  return (
    <>
      <Button icon="close" onClick={() => setIsAsking(true)}>
        Cancel the gate
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this gate?"
          description="It ends without a verdict, and cannot continue. Once a thread was compared, it counts as a candidate of the suite."
          action="End it without a verdict"
          stay="Let it run"
          run={cancel}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
