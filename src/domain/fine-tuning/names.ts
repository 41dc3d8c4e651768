/** A name such as `ft:heddle/tiny:entity:suffix:0f5c2e8a91b3`, which OpenAI's clients take for the name of a model. */
export function fineTunedModelName(parts: { base: string; entity: string; suffix: string; jobId: string }): string {
  return ['ft', parts.base, parts.entity, parts.suffix, shortId(parts.jobId)].join(':');
}

/** The name of the model in its project, as other clients see it. */
export function trainedModelName(suffix: string, jobId: string): string {
  return `${suffix || 'fine-tuned'}-${shortId(jobId)}`;
}

/** A suffix with the characters that names of models may have. */
export function cleanSuffix(suffix: string | null): string {
  return (suffix ?? '').replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '');
}

export function checkpointName(model: string, step: number): string {
  return `${model}:ckpt-step-${step}`;
}

/** @returns null for a name of another form; `step` is null for the final model */
export function parseFineTunedName(text: string): { model: string; step: number | null } | null {
  const [, model, step] = /^(ft:.+?)(?::ckpt-step-(\d{1,9}))?$/s.exec(text) ?? [];
  return model === undefined ? null : { model, step: step === undefined ? null : Number(step) };
}

/** The random part of a UUID of version 7. */
function shortId(jobId: string): string {
  return jobId.slice(-12);
}
