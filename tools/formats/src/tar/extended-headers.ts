import { readText } from './header-fields.ts';
import { parsePax, type PaxRecord } from './pax.ts';
import { BLOCK, layerInvalid, quoteName, type TarSource } from './tar-member.ts';

/** Maximum total size of one member's extended headers, in bytes. */
const MAX_EXTENDED = 1 << 20;
/** Maximum total size of a tar's extended headers: names and attributes are kept in memory. */
const MAX_ALL = 1 << 28;
/** Maximum size of a global header, whose records are read for each member; git's has 52 bytes. */
const MAX_GLOBAL = 4096;
/** Records of a single member: in a global header all members would get one name or content. */
const OF_ONE_MEMBER = /^(?:path|linkpath|size|GNU\.sparse\..*|SCHILY\.xattr\..*)$/s;

/** The extended headers before a member. */
export interface ExtendedHeaders {
  /** True for the type flag of an extended header: PAX (`x`), global PAX (`g`), GNU long names. */
  isExtended(flag: string): boolean;
  /** Reads the extended header at `at`, which has `size` bytes of data. Throws `layer-invalid`. */
  add(source: TarSource, flag: string, at: number, size: number): void;
  /**
   * Returns and clears the records of the next member by key; later records override earlier ones.
   */
  take(): ReadonlyMap<string, string>;
  /** True if there are records for a member that has not followed yet. */
  waiting(): boolean;
}

/** Collects the extended headers of one tar. */
export function extendedHeaders(): ExtendedHeaders {
  let global: readonly PaxRecord[] = [];
  let pending: PaxRecord[] = [];
  let bytes = 0;
  let all = 0;
  return {
    isExtended: (flag) => 'xgLK'.includes(flag),
    add(source, flag, at, size) {
      bytes += size;
      all += size;
      if (all > MAX_ALL) throw layerInvalid(at, 'its extended headers are too large');
      if (bytes > (flag === 'g' ? MAX_GLOBAL : MAX_EXTENDED) || at + BLOCK + size > source.size)
        throw layerInvalid(at, 'an extended header is too large');
      const data = Buffer.from(source.read(at + BLOCK, size));
      if (flag === 'x') {
        pending = pending.concat(parsePax(data, at + BLOCK));
      } else if (flag === 'g') {
        global = parsePax(data, at + BLOCK);
        const wrong = global.find(([key]) => OF_ONE_MEMBER.test(key))?.[0];
        if (wrong !== undefined) throw layerInvalid(at, `a global header sets ${quoteName(wrong)}`);
        bytes -= size;
      } else {
        pending.push([flag === 'L' ? 'path' : 'linkpath', readText(data, 0, data.length)]);
      }
    },
    take() {
      const records = new Map([...global, ...pending]);
      pending = [];
      bytes = 0;
      return records;
    },
    waiting: () => pending.length > 0,
  };
}
