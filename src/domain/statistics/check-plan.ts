import { invalidInput } from '../../util/failures.ts';
import { differenceBounds, type GatePlan, type Metric } from './plan.ts';

/**
 * Checks what a type cannot: that gains, margins and harms are above 0 and smaller than the largest difference of their metric.
 *
 * @throws Failure that names the field at fault
 */
export function checkPlan({ target, guardrails, watched, alpha, threads, threadsMax }: GatePlan): void {
  checkGap(target, 'gain', target.gain, differenceBounds(target).high);
  for (const each of guardrails) checkGap(each, 'margin', each.margin, -differenceBounds(each).low);
  for (const each of watched) {
    checkGap(each, 'harm', each.harm, -differenceBounds(each).low);
    if (each.threads > threads)
      throw invalidInput(`'${each.name}' has ${each.threads} threads; the suite has ${threads}.`);
  }
  if (target.measure.kind === 'quantile') {
    throw invalidInput(
      `The target '${target.name}' is a quantile of the candidate alone: choose a measure that compares.`,
    );
  }
  if (!(alpha > 0 && alpha < 1)) throw invalidInput(`alpha is ${alpha}; it must be between 0 and 1.`);
  for (const [name, count] of Object.entries({ threads, threadsMax })) {
    if (!(Number.isInteger(count) && count >= 1))
      throw invalidInput(`${name} is ${count}; it must be a whole number above 0.`);
  }
}

function checkGap({ name, measure }: Metric, field: string, value: number, largest: number): void {
  if (measure.kind === 'score' && !(measure.low < measure.high)) {
    throw invalidInput(`'${name}' has scores from ${measure.low} to ${measure.high}; the first must be lower.`);
  }
  if (measure.kind === 'capped' && !(measure.cap > 0))
    throw invalidInput(`'${name}' has the cap ${measure.cap}; it must be above 0.`);
  if (measure.kind === 'quantile' && !(measure.quantile > 0 && measure.quantile < 1)) {
    throw invalidInput(`'${name}' has the quantile ${measure.quantile}; it must be between 0 and 1.`);
  }
  if (value > 0 && value < largest) return;
  throw invalidInput(
    `'${name}' has the ${field} ${value}; it must be above 0 and below ${largest}, the largest possible.`,
  );
}
