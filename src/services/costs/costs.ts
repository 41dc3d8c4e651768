import { newId, type ProjectId } from '../../contract/ids.ts';
import type { Micros } from '../../domain/calls/call-row.ts';
import type { PriceBook, ProjectPrice } from '../../domain/prices/price-book.ts';
import { type PriceSelection, selectPrices } from '../../domain/prices/select-prices.ts';
import { addPrices, type PriceToAdd } from '../../store/postgres/prices/add-prices.ts';
import { readPrices } from '../../store/postgres/prices/read-prices.ts';
import { removePrices } from '../../store/postgres/prices/remove-prices.ts';
import { invalidInput } from '../../util/failures.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { projectPrices } from './project-prices.ts';

/** A price to add; effective now by default. */
export type NewPrice = Omit<PriceToAdd, 'id' | 'level' | 'createdBy'>;

/** Operations on the prices of a project. */
export type Costs = {
  /** Checks prices and gives them their ids. @throws Failure for a date that PostgreSQL cannot hold */
  prepare(prices: NewPrice[], userId: string): PriceToAdd[];
  /** @throws Failure if the project would have more than 10,000 prices */
  add(projectId: ProjectId, prices: PriceToAdd[]): Promise<void>;
  /** @throws Failure for an invalid query, order or page */
  list(project: Project, selection: PriceSelection): Promise<ProjectPrice[]>;
  /** Ignores unknown ids. */
  remove(projectId: ProjectId, ids: string[]): Promise<void>;
  /** The prices that currently apply in a project: its own and the server's defaults. */
  prices(projectId: ProjectId): Promise<PriceBook>;
};

/** All prices of a project are in memory while its calls are priced. */
const pricesMax = 10_000;

export function openCosts({ postgres }: Pick<Deps, 'postgres'>): Costs {
  return {
    prepare(prices, userId) {
      const made = { level: 'project', createdBy: userId } as const;
      return prices.map((price) => ({
        ...price,
        ...made,
        id: newId(),
        effectiveDate: price.effectiveDate === null ? null : wholeSeconds(price.effectiveDate),
      }));
    },

    async add(projectId, prices) {
      if (await addPrices(postgres, projectId, prices, pricesMax)) return;
      throw invalidInput(
        `A project can have ${pricesMax} prices, and with these ${prices.length} it would have more. Purge some first.`,
      );
    },

    async list(project, selection) {
      const select = selectPrices(selection, project.name);
      return select(await readPrices(postgres, project.id));
    },

    async remove(projectId, ids) {
      const possible = ids.filter((id) => !id.includes('\0')); // PostgreSQL rejects NUL, so no price has such an id
      await removePrices(postgres, projectId, possible);
    },

    prices: (projectId) => projectPrices({ postgres }, projectId),
  };
}

/** @throws Failure for a date outside the years 1 to 9999, which PostgreSQL writes differently. */
function wholeSeconds(micros: Micros): Micros {
  if (micros >= yearOne && micros < yearTenThousand) return Math.floor(micros / 1e6) * 1e6;
  throw invalidInput(`effective_date must lie in the years 1 to 9999, found ${formatTimestamp(micros)}`);
}

const yearOne = Date.parse('0001-01-01T00:00:00Z') * 1000;
const yearTenThousand = Date.UTC(10_000) * 1000;
