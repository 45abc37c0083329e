import { CcpError } from '#core';

/** Cost limit of one rendering, in points. */
const BUDGET = 10_000_000;
/** Points for a loop round, a macro call, a filter or an import. */
const ROUND = 100;
/** Points for a list item; a character costs one point. */
const ITEM = 10;
/** Points for each evaluation of a node. */
const PART = 2;
/** A search compares each character with up to the whole of the other text. */
const COMPARISONS_PER_POINT = 100;
/** Maximum nesting of nodes, including macro calls. */
const DEPTH = 1_000;

/**
 * Limits the time and memory of a rendering by counting operations, so that the result is the same
 * on every machine.
 */
export class RenderBudget {
  #left = BUDGET;
  #depth = 0;

  /** Counts one loop round, macro call, filter or import. */
  round(): void {
    this.#spend(ROUND);
  }

  /** Counts a text of this length, before it is created or read. */
  characters(length: number): void {
    this.#spend(length);
  }

  /** Counts a list of this length, before it is created or read. */
  items(length: number): void {
    this.#spend(length * ITEM);
  }

  /** Counts a search for a text of length `needle` in a text of length `text`. */
  search(text: number, needle: number): void {
    this.#spend(text + needle + (text * needle) / COMPARISONS_PER_POINT);
  }

  /** Enters a node; call `leave` afterwards. */
  enter(): void {
    this.#spend(PART);
    this.#depth += 1;
    if (this.#depth > DEPTH) throw endlessTemplateError();
  }

  leave(): void {
    this.#depth -= 1;
  }

  get spent(): number {
    return BUDGET - this.#left;
  }

  #spend(points: number): void {
    this.#left -= points;
    // This form also rejects NaN.
    if (!(this.#left >= 0)) throw endlessTemplateError();
  }
}

/** `template-endless`; `file` is the template that was rendered. */
export function endlessTemplateError(file?: string): CcpError {
  return new CcpError({
    code: 'template-endless',
    message:
      'the template exceeds its limits: 100,000 loop rounds, macro calls and filters, 10 million characters, or 100 nested calls',
    hint: 'use smaller loops, or put the text into files/',
    ...(file === undefined ? {} : { at: { file } }),
  });
}
