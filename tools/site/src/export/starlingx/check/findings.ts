import { counted } from '#core';

/** A fault of an application's tarball. */
export interface ApplicationFinding {
  /** Stable name of the rule. */
  readonly rule: string;
  /** `error`: StarlingX refuses the application or Flux cannot install it. */
  readonly level: 'error' | 'warning';
  /** Path in the tarball; empty for the tarball. */
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** Findings of each level that are listed: a hostile tarball can have millions. */
const LISTED = 100;

/** Collects findings, a limited number of each level. */
export class Findings {
  readonly #listed: ApplicationFinding[] = [];
  readonly #counts = { error: 0, warning: 0 };

  error(rule: string, path: string, message: string, hint: string): void {
    this.#add({ rule, level: 'error', path, message, hint });
  }

  warn(rule: string, path: string, message: string, hint: string): void {
    this.#add({ rule, level: 'warning', path, message, hint });
  }

  /** The findings, then one for each level with more findings than are listed. */
  get all(): readonly ApplicationFinding[] {
    const more = (['error', 'warning'] as const).flatMap((level): ApplicationFinding[] => {
      const left = this.#counts[level] - LISTED;
      if (left <= 0) return [];
      const message = `${counted(left, `more ${level}`)} ${left === 1 ? 'is' : 'are'} not listed`;
      return [{ rule: 'more', level, path: '', message, hint: 'fix the listed ones first' }];
    });
    return [...this.#listed, ...more];
  }

  #add(finding: ApplicationFinding): void {
    this.#counts[finding.level] += 1;
    if (this.#counts[finding.level] <= LISTED) this.#listed.push(finding);
  }
}
