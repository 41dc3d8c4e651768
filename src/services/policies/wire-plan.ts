import type { WirePlan } from '../../contract/policies/policy.ts';
import type { PolicyPlan, Traffic } from '../../domain/policies/plan.ts';

export function planOf({ variants, incumbent, traffic, scorers, alpha }: WirePlan): PolicyPlan {
  return {
    ...{ variants, incumbent, traffic: trafficOf(traffic), alpha },
    scorers: scorers.map(({ window_seconds: windowSeconds, ...scorer }) => ({ ...scorer, windowSeconds })),
  };
}

function trafficOf(traffic: WirePlan['traffic']): Traffic {
  if (traffic.kind === 'best_arm') {
    const { after_winner: afterWinner, ...bestArm } = traffic;
    return { ...bestArm, afterWinner };
  }
  if (traffic.kind !== 'shadow') return traffic;
  const { tokens_per_day: tokensPerDay, ...shadow } = traffic;
  return { ...shadow, tokensPerDay };
}

export function wirePlan({ variants, incumbent, traffic, scorers, alpha }: PolicyPlan): WirePlan {
  return {
    ...{ variants, incumbent, traffic: wireTraffic(traffic), alpha },
    scorers: scorers.map(({ windowSeconds: window_seconds, ...scorer }) => ({ ...scorer, window_seconds })),
  };
}

function wireTraffic(traffic: Traffic): WirePlan['traffic'] {
  if (traffic.kind === 'best_arm') {
    const { afterWinner: after_winner, ...bestArm } = traffic;
    return { ...bestArm, after_winner };
  }
  if (traffic.kind !== 'shadow') return traffic;
  const { tokensPerDay: tokens_per_day, ...shadow } = traffic;
  return { ...shadow, tokens_per_day };
}
