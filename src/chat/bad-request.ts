/** The request cannot be served as it is; becomes a 400 that names the field. */
export class BadRequest extends Error {
  readonly param: string | null;

  constructor(message: string, param: string | null) {
    super(message);
    this.name = 'BadRequest';
    this.param = param;
  }
}
