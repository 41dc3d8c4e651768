"""Writes what published code computes for the tests of src/domain/statistics/, to testing/statistics/.

confseq needs Python 3.10, because its sources do not compile with later ones, and libboost-dev:

pip install confseq==0.0.11 "numpy<2"
python statistics.py betting > ../../testing/statistics/betting.json

pip install statsmodels==0.15.0 obp==0.4.1 --no-deps and what they import
python statistics.py estimates > ../../testing/statistics/estimates.json
"""

import json
import sys

import numpy as np

LOW, HIGH = -1, 1
SHARE, CAP, ASSUMED, WEIGHT = 0.8, 0.9, 1 / 16, 4


def bets(gap, population):
    """The bets of MeanTest, for values that are scaled to 0 to 1."""

    def of(x, m):
        t = np.arange(len(x))
        squares = np.concatenate([[0], np.cumsum((x - m) ** 2)[:-1]])
        mean_square = (WEIGHT * ASSUMED + squares) / (WEIGHT + t)
        left = 1 if population is None else population / (population - t)
        return SHARE * gap / 2 * left / mean_square

    return of


def log_wealth(values, null_mean, gap, population=None, side=1):
    from confseq.betting import betting_mart

    x = (side * np.array(values) - LOW) / (HIGH - LOW)
    m = (side * null_mean - LOW) / (HIGH - LOW)
    return np.log(
        betting_mart(x, m, lambdas_fn_positive=bets(gap, population), N=population, theta=1, trunc_scale=CAP)
    )


def betting():
    random = np.random.default_rng(1)
    cases = []
    for name, values in {
        "pairs": random.choice([-1, 0, 1], size=120, p=[0.15, 0.5, 0.35]),
        "threads": random.integers(-4, 6, size=120) / 8,
        "losses": random.choice([-1, 0, 0.25], size=120, p=[0.3, 0.5, 0.2]),
    }.items():
        values = [float(value) for value in values]
        for null_mean, gap in [(0, 0.05), (-0.05, 0.05), (0.1, 0.3)]:
            for side in [1, -1]:
                for population in [None, 400]:
                    wealth = log_wealth(values, null_mean, gap, population, side)
                    cases.append({
                        "name": name, "nullMean": null_mean, "gap": gap,
                        "side": "above" if side == 1 else "below",
                        "population": population, "logWealth": wealth[9::10].tolist(),
                    })
        cases.append({"name": name, "values": values, "bounds": [bounds(values, n) for n in [10, 40, 120]]})
    return cases


def bounds(values, n, level=0.05, gap=0.2):
    """The outermost means that are not rejected by any look, widened by one step of the grid as MeanInterval does."""
    grid = np.linspace(LOW, HIGH, 801)
    limit = np.log(1 / level)
    rejected = [[log_wealth(values[:n], m, gap, side=side).max() >= limit for m in grid] for side in [1, -1]]
    first = next(i for i in range(801) if not rejected[0][i])
    last = next(i for i in reversed(range(801)) if not rejected[1][i])
    return {"looks": n, "lower": grid[max(0, first - 1)], "upper": grid[min(800, last + 1)]}


def estimates():
    from obp.ope import DoublyRobust, InverseProbabilityWeighting, SelfNormalizedInverseProbabilityWeighting
    from statsmodels.stats.multitest import multipletests

    random = np.random.default_rng(2)
    holm = []
    for count in [1, 3, 8]:
        for _ in range(4):
            p = random.uniform(0, 1, size=count) ** 4
            holm.append({"pValues": p.tolist(), "rejected": multipletests(p, 0.05, method="holm")[0].tolist()})
    rounds, actions = 40, 3
    logged = random.dirichlet(np.ones(actions), size=rounds)
    judged = random.dirichlet(np.ones(actions), size=rounds)
    action = np.array([random.choice(actions, p=p) for p in logged])
    reward = random.uniform(0, 1, size=rounds)
    predicted = random.uniform(0, 1, size=(rounds, actions))
    at = np.arange(rounds)
    given = {
        "reward": reward, "action": action, "pscore": logged[at, action], "action_dist": judged[:, :, None],
        "position": np.zeros(rounds, dtype=int),
    }
    answers = [
        {
            "reward": reward[i], "logged": logged[i, action[i]], "judged": judged[i, action[i]],
            "predicted": predicted[i, action[i]], "predictedMean": float(judged[i] @ predicted[i]),
        }
        for i in range(rounds)
    ]
    return {
        "holm": holm,
        "offPolicy": {
            "answers": answers,
            "ips": InverseProbabilityWeighting().estimate_policy_value(**given),
            "selfNormalized": SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**given),
            "doublyRobust": DoublyRobust().estimate_policy_value(
                **given, estimated_rewards_by_reg_model=predicted[:, :, None]
            ),
        },
    }


print(json.dumps({"betting": betting, "estimates": estimates}[sys.argv[1]]()))
