import type { FineTuningMethod, WantedMethod } from '../../contract/fine-tuning/method.ts';

/** Fills in every value that was left open. @param examples lines of the training file */
export function chooseMethod(wanted: WantedMethod, examples: number): FineTuningMethod {
  const { type } = wanted;
  switch (type) {
    case 'supervised':
      return { type, supervised: { hyperparameters: shared(wanted.supervised?.hyperparameters, examples, 3) } };
    case 'dpo': {
      const hyperparameters = wanted.dpo?.hyperparameters;
      const beta = chosen(hyperparameters?.beta, 0.1);
      return { type, dpo: { hyperparameters: { ...shared(hyperparameters, examples, 1), beta } } };
    }
    case 'reinforcement': {
      const { grader, hyperparameters } = wanted.reinforcement;
      const common = shared(hyperparameters, examples, 1);
      const steps = Math.ceil((examples * common.n_epochs) / common.batch_size);
      const chosenHyperparameters = {
        ...common,
        compute_multiplier: chosen(hyperparameters?.compute_multiplier, 1),
        eval_interval: chosen(hyperparameters?.eval_interval, Math.max(1, Math.ceil(steps / 10))),
        eval_samples: chosen(hyperparameters?.eval_samples, 1),
        reasoning_effort: hyperparameters?.reasoning_effort ?? ('default' as const),
      };
      return { type, reinforcement: { grader, hyperparameters: chosenHyperparameters } };
    }
    default:
      return wanted satisfies never;
  }
}

/** What all methods have. */
export function hyperparametersOf(method: FineTuningMethod): SharedHyperparameters {
  switch (method.type) {
    case 'supervised':
      return method.supervised.hyperparameters;
    case 'dpo':
      return method.dpo.hyperparameters;
    case 'reinforcement':
      return method.reinforcement.hyperparameters;
    default:
      return method satisfies never;
  }
}

type SharedHyperparameters = { n_epochs: number; batch_size: number; learning_rate_multiplier: number };

type Wanted = { [Name in keyof SharedHyperparameters]?: SharedHyperparameters[Name] | 'auto' | null | undefined };

function shared(wanted: Wanted | null | undefined, examples: number, epochs: number): SharedHyperparameters {
  return {
    n_epochs: chosen(wanted?.n_epochs, epochs),
    batch_size: chosen(wanted?.batch_size, autoBatchSize(examples)),
    learning_rate_multiplier: chosen(wanted?.learning_rate_multiplier, 1),
  };
}

function chosen(wanted: number | 'auto' | null | undefined, auto: number): number {
  return wanted == null || wanted === 'auto' ? auto : wanted;
}

/** About 0.4 % of the examples. */
function autoBatchSize(examples: number): number {
  return Math.min(Math.max(Math.round(examples / 250), 2), 64);
}

/**
 * The learning rate for a multiplier of 1. LoRA weights of models with 7 B parameters, whose hidden size is 4096, are commonly trained at
 * 2e-4; smaller models take larger steps. Preferences need smaller steps, because their gradient does not vanish as soon as
 * the answers are learned.
 */
export function baseLearningRate(type: FineTuningMethod['type'], hiddenSize: number): number {
  const rate = 2e-4 * Math.sqrt(4096 / hiddenSize);
  return type === 'supervised' ? rate : rate / 10;
}
