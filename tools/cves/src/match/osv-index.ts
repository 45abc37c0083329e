import type { OsvAffected, OsvRecord } from '../data/osv-record.ts';

/** OSV records by package, for some packages. */
export interface OsvIndex {
  /** Ecosystems of which the data has any record. */
  readonly kinds: ReadonlySet<string>;
  readonly records: ReadonlyMap<string, readonly IndexedRecord[]>;
}

/** A record about one package. */
export interface IndexedRecord {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly affected: OsvAffected;
}

/** Collects records, so that only those about `wanted` packages stay in memory. */
export class OsvCollector {
  readonly #wanted: ReadonlySet<string>;
  readonly #kinds = new Set<string>();
  readonly #records = new Map<string, IndexedRecord[]>();

  /** `wanted` has keys of `osvKey`. */
  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  add({ id, aliases, affected }: OsvRecord): void {
    for (const each of affected) {
      this.#kinds.add(each.key.slice(0, each.key.indexOf(' ')));
      if (!this.#wanted.has(each.key)) continue;
      const known = this.#records.get(each.key) ?? [];
      known.push({ id, aliases, affected: each });
      this.#records.set(each.key, known);
    }
  }

  index(): OsvIndex {
    return { kinds: this.#kinds, records: this.#records };
  }
}
