import { InvalidArgumentError } from 'commander';

export function toNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
  return number;
}

export function toCount(value: string): number {
  const number = toNumber(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return number;
}

export function toWhole(value: string): number {
  const number = toNumber(value);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return number;
}

/** `10%` or `0.1`. */
export function toShare(value: string): number {
  const share = value.endsWith('%') ? toNumber(value.slice(0, -1)) / 100 : toNumber(value);
  if (share < 0 || share >= 1) throw new InvalidArgumentError('Expected a share below 100%, such as 10% or 0.1.');
  return share;
}

/** `a=0.2,b=0.8`. */
export function toShares(value: string): Record<string, number> {
  const parts = value.split(',').map((part) => part.split('='));
  if (parts.some((part) => part.length !== 2 || part[0]!.trim() === ''))
    throw new InvalidArgumentError('Expected names with their shares, such as now=0.2,next=0.8.');
  return Object.fromEntries(parts.map(([name, share]) => [name!.trim(), toNumber(share!)]));
}

/** For an option that can be repeated. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
