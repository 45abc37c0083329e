import type { TemplateValue } from './template-values.ts';

/** The variables of a template, a macro or a loop; lookups continue in the enclosing frame. */
export class TemplateFrame {
  readonly #values = new Map<string, TemplateValue>();
  readonly #outer: TemplateFrame | undefined;
  /** True for frames of macros and call blocks, whose variables are local. */
  readonly #closed: boolean;

  constructor(outer?: TemplateFrame, closed = false) {
    this.#outer = outer;
    this.#closed = closed;
  }

  get(name: string): TemplateValue {
    return this.#values.has(name) ? this.#values.get(name) : this.#outer?.get(name);
  }

  /** Sets a variable of this frame. */
  declare(name: string, value: TemplateValue): void {
    this.#values.set(name, value);
  }

  /** `{% set %}`: sets the variable in the nearest frame that has it, or else in this frame. */
  assign(name: string, value: TemplateValue): void {
    const owner = this.#ownerOf(name) ?? this;
    owner.#values.set(name, value);
  }

  #ownerOf(name: string): TemplateFrame | undefined {
    if (this.#values.has(name)) return this;
    return this.#closed || this.#outer === undefined ? undefined : this.#outer.#ownerOf(name);
  }
}
