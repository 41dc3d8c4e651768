import { predictionCreate, predictionDelete, predictionFinish, predictionList, predictionRead } from './predictions.ts';
import { evalResultsQuery } from './results.ts';
import {
  evaluationRunCreate,
  evaluationRunDelete,
  evaluationRunFinish,
  evaluationRunList,
  evaluationRunRead,
} from './runs.ts';
import { scoreCreate, scoreDelete, scoreList, scoreRead } from './scores.ts';

export const runEndpoints = {
  evaluationRunCreate,
  evaluationRunList,
  evaluationRunRead,
  evaluationRunFinish,
  evaluationRunDelete,
};

export const predictionEndpoints = {
  predictionCreate,
  predictionList,
  predictionRead,
  predictionFinish,
  predictionDelete,
};

export const scoreEndpoints = { scoreCreate, scoreList, scoreRead, scoreDelete };

/** The endpoints of this group, in the order of the documentation. `api/evaluations/routes.ts` joins them with their handlers. */
export const evaluationEndpoints = { ...runEndpoints, ...predictionEndpoints, ...scoreEndpoints, evalResultsQuery };
