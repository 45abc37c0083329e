/**
 * An operation that its values do not allow; the interpreter adds the position and raises a
 * `CcpError`.
 */
export class TemplateRefusal extends Error {
  readonly code: 'template-name' | 'template-value';
  readonly hint: string | undefined;

  constructor(
    message: string,
    hint?: string,
    code: 'template-name' | 'template-value' = 'template-value',
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
