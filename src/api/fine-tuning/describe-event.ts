import type { FineTuningJob, NumberedEvent } from '../../services/fine-tuning/fine-tuning.ts';

type Described = {
  level: 'info' | 'warn' | 'error';
  type: 'message' | 'metrics';
  message: string;
  data: Record<string, unknown>;
};

/** An event of a training job in the words of OpenAI's API. */
export function describeEvent(
  { type, data, step }: NumberedEvent,
  { stepsTotal, fineTunedModel }: FineTuningJob,
): Described {
  const total = stepsTotal ?? 0;
  switch (type) {
    case 'training_started':
      return message('Fine-tuning job started');
    case 'gradient_step': {
      const { 'loss/train': loss, accuracy, reward } = data;
      const rewarded = typeof reward === 'number' ? `, mean reward=${reward.toFixed(2)}` : '';
      const metrics = { step, total_steps: total, train_loss: loss, train_mean_token_accuracy: accuracy, ...data };
      const text = `Step ${step}/${total}: training loss=${number(loss).toFixed(2)}${rewarded}`;
      return { ...message(text), type: 'metrics', data: metrics };
    }
    case 'validation': {
      const { 'val/loss': loss, 'val/accuracy': accuracy, 'val/reward': reward } = data;
      const isLoss = typeof loss === 'number';
      const found = isLoss
        ? { valid_loss: loss, full_valid_loss: loss, valid_mean_token_accuracy: accuracy }
        : { valid_mean_reward: reward };
      const text = isLoss
        ? `validation loss=${loss.toFixed(2)}`
        : `validation mean reward=${number(reward).toFixed(2)}`;
      const metrics = { step, total_steps: total, ...found };
      return { ...message(`Step ${step}/${total}: ${text}`), type: 'metrics', data: metrics };
    }
    case 'checkpoint':
      return message(`Checkpoint created at step ${step}`);
    case 'training_ended':
      return message(`The job has successfully completed; new fine-tuned model created: ${fineTunedModel}`);
    case 'training_failed':
      return { ...message(String(data.error_message)), level: 'error' };
    case 'notice':
      return message(String(data.message));
    case 'warning':
    case 'alarm':
      return { ...message(String(data.message)), level: 'warn' };
    default:
      return type satisfies never;
  }
}

function message(text: string): Described {
  return { level: 'info', type: 'message', message: text, data: {} };
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
