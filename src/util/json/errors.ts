/** The text is not JSON. `position` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.position = position;
  }
}

/** The text nests more containers than allowed. It may be JSON otherwise. */
export class JsonDepthError extends Error {
  readonly depthMax: number;

  constructor(depthMax: number) {
    super(`The JSON nests more than ${depthMax} objects and arrays inside each other. Send a flatter value.`);
    this.name = 'JsonDepthError';
    this.depthMax = depthMax;
  }
}
