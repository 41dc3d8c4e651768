import type { Context } from '../../context.ts';
import { datasets } from '../../contract/resources/datasets.ts';
import { evaluations } from '../../contract/resources/evaluations.ts';
import { models } from '../../contract/resources/models.ts';
import { ops } from '../../contract/resources/ops.ts';
import { scorers } from '../../contract/resources/scorers.ts';
import { stringAt } from '../../domain/resources/values.ts';
import type { Route } from '../../http/bind.ts';
import { invalidInput } from '../../util/failures.ts';
import { described, type Members, routesOfKind } from './resource.ts';

/** The routes of ops, datasets, scorers, models and evaluations. */
export function resourceRoutes(context: Pick<Context, 'identity' | 'services'>): Route[] {
  const { resources } = context.services;
  return [
    ...routesOfKind(context, 'ops', ops, {
      create: ({ name, source_code: source }, owner) => resources.createOp({ name, source }, owner),
      read: async (version) => ({ code: (await resources.codeOf(version)) ?? '' }),
    }),
    ...routesOfKind(context, 'datasets', datasets, {
      create: ({ rows, ...fields }, owner) =>
        resources.createDataset({ ...fields, rows: rows.map(({ text }) => text) }, owner),
      read: (version, members) => ({ ...described(version, members), rows: stringAt(members, 'rows') ?? '' }),
    }),
    ...routesOfKind(context, 'scorers', scorers, {
      create: ({ op_source_code: source, ...fields }, owner) => resources.createScorer({ ...fields, source }, owner),
      created: ({ ref }) => ({ scorer: ref }),
      read: (version, members) => ({ ...described(version, members), score_op: stringAt(members, 'score') ?? '' }),
    }),
    ...routesOfKind(context, 'models', models, {
      create: ({ source_code: source, ...fields }, owner) => resources.createModel({ ...fields, source }, owner),
      created: ({ ref }) => ({ model_ref: ref }),
      async read(version, members) {
        const code = await resources.codeOf(version);
        if (code === null) throw invalidInput(`Model ${version.objectId}:${version.digest} has no source file`);
        return { ...described(version, members), source_code: code, attributes: attributesOf(members) };
      },
      async listed(version, members) {
        const code = await resources.codeOf(version);
        return { ...described(version, members), source_code: code ?? '', attributes: attributesOf(members) };
      },
    }),
    ...routesOfKind(context, 'evaluations', evaluations, {
      create: ({ eval_attributes: attributes, scorers: given, ...fields }, owner) =>
        resources.createEvaluation({ ...fields, scorers: given ?? [], attributes }, owner),
      created: ({ ref }) => ({ evaluation_ref: ref }),
      read: (version, members) => ({
        ...described(version, members),
        dataset: stringAt(members, 'dataset') ?? '',
        scorers: members.scorers?.kind === 'array' ? members.scorers : [],
        trials: members.trials?.kind === 'number' ? members.trials : 1,
        evaluation_name: stringAt(members, 'evaluation_name'),
        evaluate_op: stringAt(members, 'evaluate'),
        predict_and_score_op: stringAt(members, 'predict_and_score'),
        summarize_op: stringAt(members, 'summarize'),
      }),
    }),
  ];
}

const notAttributes = new Set(['_type', '_class_name', '_bases', 'name', 'description', 'files']);

/** What a model has beside its name and code; null where that is nothing. */
function attributesOf(members: Members): Members | null {
  const attributes = Object.entries(members).filter(([name]) => !notAttributes.has(name));
  return attributes.length > 0 ? Object.fromEntries(attributes) : null;
}
