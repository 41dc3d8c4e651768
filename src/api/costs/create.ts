import type { Context } from '../../context.ts';
import type { costCreate, PriceInput } from '../../contract/costs/create.ts';
import { badRequest } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { ProjectPrice } from '../../domain/prices/price-book.ts';
import type { Handler } from '../../http/bind.ts';
import { addPrices } from '../../store/postgres/prices/add-prices.ts';
import { formatTimestamp, nowMicroseconds } from '../../util/timestamp.ts';

/** All prices of a project are at hand while its calls are priced. */
const pricesMax = 10_000;

export function createCosts({ identity, postgres }: Context): Handler<typeof costCreate> {
  return async ({ body, caller }) => {
    const now = nowMicroseconds();
    const made = { level: 'project', createdBy: caller.userId, createdAt: now } as const;
    const prices = Object.entries(body.costs).map(([llmId, input]) => ({
      ...{ id: newId(), llmId, ...made },
      ...priceOf(llmId, input, now),
    }));
    const projectId = await identity.projectForWrite(caller, body.project_id);
    if (!(await addPrices(postgres, projectId, prices, pricesMax))) {
      throw badRequest(
        `A project can have ${pricesMax} prices, and with these ${prices.length} it would have more. Purge some first.`,
      );
    }
    return { ids: prices.map(({ id, llmId }) => [id, llmId]) };
  };
}

function priceOf(
  llmId: string,
  input: PriceInput,
  now: number,
): Omit<ProjectPrice, 'id' | 'llmId' | 'level' | 'createdBy' | 'createdAt'> {
  const texts = {
    promptUnit: input.prompt_token_cost_unit ?? 'USD',
    completionUnit: input.completion_token_cost_unit ?? 'USD',
    providerId: input.provider_id ?? 'default',
  };
  if ([llmId, ...Object.values(texts)].some((text) => text.includes('\0'))) {
    throw badRequest(`The price of ${JSON.stringify(llmId)} has a NUL character in a text, which cannot be stored`);
  }
  if ([llmId, ...Object.values(texts)].some((text) => text.startsWith('\ufeff'))) {
    throw badRequest(
      `The price of ${JSON.stringify(llmId)} has a text that begins with U+FEFF, which cannot be stored`,
    );
  }
  return {
    ...texts,
    prompt: input.prompt_token_cost,
    completion: input.completion_token_cost,
    cacheRead: input.cache_read_input_token_cost,
    cacheCreation: input.cache_creation_input_token_cost,
    effectiveDate: wholeSeconds(input.effective_date ?? now),
  };
}

/** @throws ApiError 400 for a date outside of the years 1 to 9999, which PostgreSQL writes in another way. */
function wholeSeconds(micros: number): number {
  if (micros >= yearOne && micros < yearTenThousand) return Math.floor(micros / 1e6) * 1e6;
  throw badRequest(`effective_date must lie in the years 1 to 9999, found ${formatTimestamp(micros)}`);
}

const yearOne = Date.parse('0001-01-01T00:00:00Z') * 1000;
const yearTenThousand = Date.UTC(10_000) * 1000;
