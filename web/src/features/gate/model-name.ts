/** How a gate was asked for a model, without the project of an artifact and the end of a digest. */
export function modelName({ name }: { name: string }): string {
  return name.replace(/^wandb-artifact:\/\/\/[^/]+\/[^/]+\//, '').replace(/(:\w{6})\w{20,}/g, '$1');
}
