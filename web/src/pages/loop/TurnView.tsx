import { useState } from 'react';
import { cancelTurn, isRunning, type LoopWithTurns, type Turn, undoTurn } from '../../api/loops.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { TurnState } from '../../features/loop/TurnState.tsx';
import { useProject } from '../../features/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { notify } from '../../ui/Toasts.tsx';
import { Collected } from './Collected.tsx';
import { ReasonDialog } from './ReasonDialog.tsx';
import { Steps } from './Steps.tsx';
import { TurnFacts } from './TurnFacts.tsx';
import styles from './TurnView.module.css';

/** One turn: how far it is or how it ended, and what it has found and made. */
export function TurnView({ loop, turn }: { loop: LoopWithTurns; turn: Turn }) {
  return (
    <section className={styles.turn} aria-label={`Turn ${turn.number}`}>
      <header className={styles.head}>
        <h2>Turn {turn.number}</h2>
        <TurnState turn={turn} />
        <span className={styles.actions}>
          <TurnActions loop={loop} turn={turn} />
        </span>
      </header>
      <Steps turn={turn} asks={loop.plan.approver != null} />
      {turn.reason !== null && turn.phase !== 'asking' && (
        <p className={styles.reason} data-ended={turn.phase === 'ended'}>
          {turn.phase !== 'ended' && <Icon name="clock" />}
          <span>{turn.undone_at === null ? turn.reason : `The traffic was returned to ${turn.incumbent}.`}</span>
        </p>
      )}
      <TurnFacts loop={loop} turn={turn} />
      {turn.collected !== null && <Collected collected={turn.collected} />}
    </section>
  );
}

function TurnActions({ loop: { name }, turn }: { loop: LoopWithTurns; turn: Turn }) {
  const project = useProject();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const of = { project, name, number: turn.number };
  if (isRunning(turn))
    return (
      <>
        <Button icon="close" onClick={() => setIsOpen(true)}>
          Cancel the turn
        </Button>
        {isOpen && (
          <ConfirmDialog
            title={`Cancel turn ${turn.number}?`}
            description="Its training and its gate stop, and the traffic of its candidate goes back. It cannot continue."
            action="End the turn"
            stay="Let it run"
            run={async () => {
              const canceled = await cancelTurn(of);
              notify(canceled ? `Turn ${turn.number} is canceled` : `Turn ${turn.number} had already ended`);
            }}
            onClose={close}
          />
        )}
      </>
    );
  if (turn.outcome !== 'promoted' || turn.undone_at !== null) return null;
  return (
    <>
      <Button icon="arrowLeft" onClick={() => setIsOpen(true)}>
        Undo
      </Button>
      {isOpen && (
        <ReasonDialog
          title={`Undo turn ${turn.number}?`}
          description={`A new version of the policy returns all traffic to what had it before${turn.incumbent === null ? '' : `: ${turn.incumbent}`}. Later turns start from that model.`}
          action="Return the traffic"
          run={async (reason) => {
            await undoTurn(of, reason);
            notify(`Turn ${turn.number} is undone`);
          }}
          onClose={close}
        />
      )}
    </>
  );
}
