import { otlpJson } from '../../src/otel/testing/span.ts';

export function feedbackOn(project: string, callId: string, feedback_type: string, payload: object) {
  return { project_id: project, weave_ref: `weave:///${project}/call/${callId}`, feedback_type, payload };
}

export function spansOf(project: string): object {
  const [entity, name] = project.split('/');
  return JSON.parse(otlpJson([{ name: 'span' }], { 'wandb.entity': entity, 'wandb.project': name }));
}
