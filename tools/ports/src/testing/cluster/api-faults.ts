/** A fault that a server injects into one request. */
export type ApiFault =
  /**
   * Closes the connection before the work, or after it: then the client does not learn the result.
   */
  | { readonly fault: 'drop'; readonly when: 'before' | 'after' }
  | {
      readonly fault: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Returns a body that is not an API response. */
  | { readonly fault: 'body'; readonly text: string }
  /** Opens a watch that sends no events and no bookmarks. */
  | { readonly fault: 'silence' }
  /** Closes a watch in the middle of its first line. */
  | { readonly fault: 'cut' };

/** Selects the requests of a fault. */
export interface FaultTarget {
  readonly method?: string;
  /** Part of the path or query. */
  readonly path?: string;
  /** Number of such requests; default 1. */
  readonly times?: number;
  /** Applies to every n-th of them; default 1. */
  readonly every?: number;
}

/** Pending faults. */
export class ApiFaults {
  readonly #waiting: {
    readonly fault: ApiFault;
    readonly target: FaultTarget;
    left: number;
    seen: number;
  }[] = [];

  /** Injects this fault into the next requests that match the target. */
  inject(fault: ApiFault, target: FaultTarget = {}): void {
    this.#waiting.push({ fault, target, left: target.times ?? 1, seen: 0 });
  }

  take(method: string, url: string): ApiFault | undefined {
    const matching = this.#waiting.filter(
      ({ target, left }) =>
        left > 0 && (target.method ?? method) === method && url.includes(target.path ?? ''),
    );
    for (const each of matching) each.seen += 1;
    const found = matching.find(({ seen, target }) => seen % (target.every ?? 1) === 0);
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }
}
