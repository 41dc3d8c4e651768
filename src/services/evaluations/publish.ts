import { ruleNames } from '../../domain/evaluations/rule-scorer.ts';
import { parseRef } from '../../domain/refs.ts';
import { objectIdOf } from '../../domain/resources/object-id.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Owner } from '../owner.ts';
import type { Services } from '../services.ts';

/** What `heddle eval run` names: an object by its ref or its name, or something to publish. */
export type Publisher = {
  /**
   * The name of a model that is not an object becomes a completion model with these messages and parameters.
   * @throws Failure for parameters of an object
   */
  model(name: string, params: object): Promise<string>;
  /** The same, but an object keeps its own messages and parameters. */
  modelAsPublished(name: string, params: object): Promise<string>;
  prompt(name: string): Promise<string>;
  dataset(name: string, rows: string[] | null): Promise<string>;
  /** `RULE` or `RULE:ARGUMENT` becomes a rule scorer. */
  scorer(name: string): Promise<string>;
  evaluation(name: string): Promise<string>;
  newEvaluation(fields: { dataset: string; scorers: string[]; trials: number; name: string | null }): Promise<string>;
};

export function openPublisher(
  { objects, resources }: Pick<Services, 'objects' | 'resources'>,
  owner: Owner,
): Publisher {
  const { project, caller } = owner;

  /** The ref of an object: given as a ref, or as `name` or `name:version` in the project. */
  async function find(word: string): Promise<string | null> {
    if (word.startsWith('weave:///')) return word;
    const [objectId = '', version = 'latest', ...rest] = word.split(':');
    if (rest.length > 0 || !/^[\p{L}\p{N}_.-]+$/u.test(objectId)) return null;
    const found = await objects.find({ projectId: project.id, objectId, kind: 'object' }, version, {
      caller,
      withValues: false,
    });
    if (found === null || found.deletedAt !== null) return null;
    return `weave:///${project.name}/object/${objectId}:${found.digest}`;
  }

  /** The id of the model that a published completion model asks; null for other objects. */
  async function modelIdOf(ref: string): Promise<string | null> {
    const parsed = parseRef(ref);
    if (parsed?.kind !== 'object' || `${parsed.entity}/${parsed.project}` !== project.name) return null;
    const key = { projectId: project.id, objectId: parsed.name, kind: 'object' as const };
    const found = await objects.find(key, parsed.digest, { caller, withValues: true });
    const value = found?.value ? (parsePlain(found.value) as { llm_model_id?: unknown }) : {};
    return typeof value.llm_model_id === 'string' ? value.llm_model_id : null;
  }

  async function publish(
    name: string,
    className: string,
    base: string,
    fields: object,
    objectId = objectIdOf(name) || className,
  ): Promise<string> {
    const bases = base === '' ? ['Object', 'BaseModel'] : [base, 'Object', 'BaseModel'];
    const value = JSON.stringify({ _type: className, _class_name: className, _bases: bases, name, ...fields });
    const { digest } = await objects.publish({ projectId: project.id, objectId, value, caller });
    return `weave:///${project.name}/object/${objectId}:${digest}`;
  }

  async function mustFind(what: string, word: string): Promise<string> {
    const found = await find(word);
    if (found !== null) return found;
    const file = /\.jsonl?$/i.test(word) ? ' There is no file of this name either.' : '';
    throw notFound(`${project.name} has no ${what} ${word}.${file}`);
  }

  async function model(name: string, default_params: object): Promise<string> {
    const published = await find(name);
    if (published !== null && Object.keys(default_params).length === 0) return published;
    const modelId = published === null ? name : await modelIdOf(published);
    if (modelId === name) {
      return publish(name, 'LLMStructuredCompletionModel', 'Model', { llm_model_id: name, default_params });
    }
    throw invalidInput(
      `${name} is a published model, which has its own messages and parameters. Omit prompts and parameters such as --prompt, ` +
        `--system, --temperature and --max-tokens, or use its underlying model${modelId === null ? '' : `, ${modelId}`}.`,
    );
  }

  return {
    model,
    async modelAsPublished(name, default_params) {
      const published = await find(name);
      const isOwnName = published !== null && (await modelIdOf(published)) === name;
      return published === null || isOwnName ? model(name, default_params) : published;
    },
    prompt: (name) => mustFind('prompt', name),
    async dataset(name, rows) {
      if (rows === null) return mustFind('dataset', name);
      return (await resources.createDataset({ name, description: null, rows }, owner)).ref;
    },
    async scorer(name) {
      return (await find(name)) ?? publishRule(name);
    },
    evaluation: (name) => mustFind('evaluation', name),
    async newEvaluation({ name, ...fields }) {
      const dataset = parseRef(fields.dataset);
      const objectId = dataset?.kind === 'object' ? `${dataset.name}-evaluation` : 'evaluation';
      return publish(objectId, 'Evaluation', '', { ...fields, evaluation_name: name });
    },
  };

  async function publishRule(word: string): Promise<string> {
    const [rule = '', ...rest] = word.split(':');
    const given = rest.join(':');
    if (!ruleNames.some((each) => each === rule)) {
      throw notFound(`${project.name} has no scorer ${word}, and it is not a rule. Rules: ${ruleNames.join(', ')}.`);
    }
    // The name contains the argument, so that a run can have a rule twice, and a plain rule stays plain.
    const name = given === '' ? rule : shortened(`${rule}:${given}`);
    const objectId = objectIdOf(name.replace(':', '-'));
    return publish(name, 'RuleScorer', 'Scorer', { rule, ...(given === '' ? {} : argumentOf(rule, given)) }, objectId);
  }
}

const nameCharactersMax = 60;

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= nameCharactersMax ? name : `${characters.slice(0, nameCharactersMax - 1).join('')}…`;
}

/** The field of a rule that the word after the colon sets. */
function argumentOf(rule: string, given: string): object {
  if (rule === 'regex') return { pattern: given };
  const field = { numeric: 'tolerance', text_similarity: 'threshold' }[rule];
  const number = Number(given);
  if (field === undefined) throw invalidInput(`The rule ${rule} takes no argument (found "${given}").`);
  if (!Number.isFinite(number)) throw invalidInput(`The argument of ${rule} must be a number (found "${given}").`);
  return { [field]: number };
}
