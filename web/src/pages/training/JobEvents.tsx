import type { TrainingEvent } from '../../api/training.ts';
import { formatNumber } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import styles from './JobEvents.module.css';

/** What a job reported beside the metrics of its steps, the newest first. */
export function JobEvents({ events }: { events: TrainingEvent[] }) {
  const lines = linesOf(events).reverse();
  if (lines.length === 0) return null;
  return (
    <section className={styles.events} aria-label="Events">
      <h3>Events</h3>
      <ol>
        {lines.map(({ id, step, word, tone, text }) => (
          <li key={id} className={styles.event}>
            <span className={styles.step}>{step === 0 ? 'start' : `step ${step}`}</span>
            <Badge tone={tone}>{word}</Badge>
            <span className={styles.text}>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Line = { id: string; step: number; word: string; tone: 'neutral' | 'success' | 'warning' | 'error'; text: string };

function linesOf(events: TrainingEvent[]): Line[] {
  let step = 0;
  return events.flatMap(({ id, type, data }): Line[] => {
    if (type === 'gradient_step') step++;
    const line = describe(type, data);
    return line === null ? [] : [{ id, step, ...line }];
  });
}

function describe(type: TrainingEvent['type'], data: TrainingEvent['data']): Omit<Line, 'id' | 'step'> | null {
  const message = String(data.message ?? '');
  switch (type) {
    case 'gradient_step':
      return null;
    case 'training_started':
      return { word: 'started', tone: 'neutral', text: startedText(data) };
    case 'training_ended':
      return { word: 'ended', tone: 'success', text: 'A checkpoint was made' };
    case 'training_failed':
      if (data.paused === true) return { word: 'paused', tone: 'warning', text: String(data.error_message ?? '') };
      return { word: 'failed', tone: 'error', text: String(data.error_message ?? '') };
    case 'validation':
      return { word: 'validation', tone: 'neutral', text: validationText(data) };
    case 'checkpoint':
      return { word: 'checkpoint', tone: 'neutral', text: `of step ${Number(data.step ?? 0)}` };
    case 'notice':
      return { word: 'notice', tone: 'neutral', text: message };
    case 'warning':
      return { word: 'warning', tone: 'warning', text: message };
    case 'alarm':
      return { word: 'alarm', tone: 'error', text: message };
    default:
      return type satisfies never;
  }
}

/** Clients of the Tinker API decide on each step as they go on. */
function startedText({ num_sequences: steps }: TrainingEvent['data']): string {
  return steps === undefined ? 'by a Tinker client' : `${Number(steps)} steps to make`;
}

function validationText(data: TrainingEvent['data']): string {
  const named = [
    ['loss', data['val/loss']],
    ['reward', data['val/reward']],
  ] as const;
  return named
    .flatMap(([name, value]) => (typeof value === 'number' ? [`held-out ${name} ${formatNumber(value)}`] : []))
    .join(', ');
}
