import { type CallStatus, exceptionLine } from '../../api/call-fields.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import styles from './CallStatusMark.module.css';

const marks: Record<CallStatus, { icon: IconName; label: string }> = {
  running: { icon: 'clock', label: 'Running' },
  success: { icon: 'check', label: 'Succeeded' },
  error: { icon: 'error', label: 'Failed' },
  descendant_error: { icon: 'error', label: 'A call below failed' },
};

/** How a call ended, as a mark; in words for screen readers and on hover, and beside it with `isWordy`. */
export function CallStatusMark({
  status,
  exception,
  isWordy = false,
}: {
  status: CallStatus;
  exception?: string | null;
  isWordy?: boolean;
}) {
  const { icon, label } = marks[status];
  const title = exception ? `${label}: ${exceptionLine(exception)}` : label;
  return (
    <span className={`${styles.mark} ${styles[status]}`} title={title}>
      <Icon name={icon} size={14} />
      <span className={isWordy ? '' : 'visually-hidden'}>{label}</span>
    </span>
  );
}
