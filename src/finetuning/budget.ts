import type { Postgres } from '../store/postgres/postgres.ts';
import { usageOfProject } from '../store/postgres/training/usage.ts';

/** How much may be trained for a project on one day (UTC). 0 is without a limit. */
export type BudgetLimits = { tokensMax: number; secondsMax: number };

export type Budget = {
  /** @returns why nothing more may be trained for a project today, or null */
  spent(projectId: string): Promise<string | null>;
};

/** @param now for tests */
export function openBudget(
  postgres: Pick<Postgres, 'db'>,
  { tokensMax, secondsMax }: BudgetLimits,
  now = () => new Date(),
): Budget {
  return {
    async spent(projectId) {
      if (tokensMax === 0 && secondsMax === 0) return null;
      const { trainedTokens, seconds } = await usageOfProject(postgres, projectId, now());
      const used = [
        { max: tokensMax, value: trainedTokens, unit: 'tokens', setting: 'HEDDLE_TRAINING_TOKENS_PER_DAY' },
        { max: secondsMax, value: Math.round(seconds), unit: 'seconds', setting: 'HEDDLE_TRAINING_SECONDS_PER_DAY' },
      ];
      const over = used.find(({ max, value }) => max > 0 && value >= max);
      if (over === undefined) return null;
      const [value, max] = [over.value, over.max].map((each) => each.toLocaleString('en-US'));
      const limit = `${over.setting} is ${max}`;
      return `The project has trained ${value} ${over.unit} today (${limit}). The next day begins at 00:00 UTC.`;
    },
  };
}
