import { Link } from '@tanstack/react-router';
import { callTitle, statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { evaluatedBy } from '../../api/evaluations.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { CallStatusMark } from '../../features/call/CallStatusMark.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { useProject } from '../../features/use-project.ts';
import { Badge } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { callUrl } from '../../urls.ts';
import { RunMark } from './RunMark.tsx';
import styles from './ScoreSummary.module.css';

type RunHeadingProps = {
  run: Call;
  index: number;
  isCompared: boolean;
  onBaseline: () => void;
  onRemove: () => void;
};

/** The head of a run's column: its model, and the call in which it ran. */
export function RunHeading({ run, index, isCompared, onBaseline, onRemove }: RunHeadingProps) {
  const project = useProject();
  const { model } = evaluatedBy(run);
  return (
    <div className={styles.heading}>
      <div className={styles.line}>
        {isCompared && <RunMark index={index} />}
        <span className={styles.model}>{model === '' ? callTitle(run) : <RefLink value={model} />}</span>
        {isCompared && index === 0 && <Badge>baseline</Badge>}
        {isCompared && (
          <Menu trigger={<IconButton label={`Actions of ${callTitle(run)}`} hint="Actions" icon="more" />}>
            <MenuItem onSelect={onBaseline} isDisabled={index === 0}>
              Make baseline
            </MenuItem>
            <MenuItem icon="close" onSelect={onRemove}>
              Remove from comparison
            </MenuItem>
          </Menu>
        )}
      </div>
      <div className={styles.line}>
        <CallStatusMark status={statusOf(run)} exception={run.exception ?? null} />
        <Link to={callUrl(project, run.id)}>{callTitle(run)}</Link>
        <span className={styles.time}>
          <TimeAgo time={run.started_at} />
        </span>
      </div>
    </div>
  );
}
