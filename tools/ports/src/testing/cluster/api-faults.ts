/** What a server does to one request instead of answering it as it should. */
export type ApiFault =
  /** The connection ends before the work, or after it: then nobody knows that it is done. */
  | { readonly fault: 'drop'; readonly when: 'before' | 'after' }
  | { readonly fault: 'status'; readonly code: number; readonly reason?: string; readonly message?: string; readonly retryAfterSeconds?: number }
  /** Bytes that are no answer of an API server. */
  | { readonly fault: 'body'; readonly text: string }
  /** A watch that is open and says nothing, no bookmark either. */
  | { readonly fault: 'silence' }
  /** A watch that ends in the middle of its first line. */
  | { readonly fault: 'cut' };

/** Which requests a fault is for. */
export interface FaultTarget {
  readonly method?: string;
  /** Part of the path or query. */
  readonly path?: string;
  /** How many such requests; default 1. */
  readonly times?: number;
  /** Only each so-manieth of them; default every one. */
  readonly every?: number;
}

/** Faults that wait for their requests. */
export class ApiFaults {
  readonly #waiting: { readonly fault: ApiFault; readonly target: FaultTarget; left: number; seen: number }[] = [];

  /** The next requests that the target names meet this fault. */
  inject(fault: ApiFault, target: FaultTarget = {}): void {
    this.#waiting.push({ fault, target, left: target.times ?? 1, seen: 0 });
  }

  take(method: string, url: string): ApiFault | undefined {
    const named = this.#waiting.filter(({ target, left }) => left > 0 && (target.method ?? method) === method && url.includes(target.path ?? ''));
    for (const each of named) each.seen += 1;
    const found = named.find(({ seen, target }) => seen % (target.every ?? 1) === 0);
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }
}
