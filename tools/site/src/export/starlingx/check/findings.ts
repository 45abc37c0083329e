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

/** Collects findings. */
export class Findings {
  readonly all: ApplicationFinding[] = [];

  error(rule: string, path: string, message: string, hint: string): void {
    this.all.push({ rule, level: 'error', path, message, hint });
  }

  warn(rule: string, path: string, message: string, hint: string): void {
    this.all.push({ rule, level: 'warning', path, message, hint });
  }
}
