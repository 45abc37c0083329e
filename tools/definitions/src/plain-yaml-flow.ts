import type { YamlEntry, YamlNode } from './yaml-node.ts';

type ScalarNode = YamlNode & { readonly kind: 'scalar' };

const MAX_DEPTH = 16;
const QUOTED = /"([^"\\]*)"|'([^']*)'/y;
/** A plain scalar in a flow collection: words of safe characters with single spaces between. */
const FLOW_WORDS =
  /[A-Za-z0-9/._+~$=-][A-Za-z0-9/._+~$=@%^&|<>()*!;-]*(?: [A-Za-z0-9/._+~$=@%^&|<>()*!;-]+)*/y;
const FLOW_KEY = /(?:([A-Za-z_][A-Za-z0-9_./-]*)|"([^"\\]*)"): /y;
/** The start of a plain scalar in a block. */
const PLAIN_START = /^[A-Za-z0-9/._+~$=(^<;-]/;
/** Characters that end or change a plain scalar in a block. */
const PLAIN_END = /: |:$| #/;
/** Plain scalars that are not text in the core schema, and more that look like them. */
const NOT_TEXT =
  /^(?:~|null|true|false|[-+]?\.(?:inf|nan)|[-+]?0[ox][0-9a-f]*|[-+]|[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)$/i;
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/;
const MAX_KEY = 500;

/** Reads values that end on their line. Methods return undefined for values that are not plain. */
export class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The value of the rest of a line, `line`, at `offset`. */
  value(offset: number, line: string): YamlNode | undefined {
    const end = offset + line.length;
    const first = line[0]!;
    if (first === '{' || first === '[' || first === '"' || first === "'") {
      this.#at = offset;
      const node = this.#node(0);
      return this.#at === end ? node : undefined;
    }
    if (!PLAIN_START.test(line) || PLAIN_END.test(line)) return undefined;
    if (line.startsWith('- ') || line === '-') return undefined;
    return plainScalar(offset, line);
  }

  #node(depth: number): YamlNode | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const char = this.#text[this.#at];
    if (char === '{') return this.#map(depth);
    if (char === '[') return this.#list(depth);
    const offset = this.#at;
    QUOTED.lastIndex = offset;
    const quoted = char === '"' || char === "'" ? QUOTED.exec(this.#text) : null;
    if (quoted !== null) {
      const value = quoted[1] ?? quoted[2]!;
      this.#at += quoted[0].length;
      return value.includes('\n') ? undefined : { kind: 'scalar', offset, value, source: value };
    }
    FLOW_WORDS.lastIndex = offset;
    const words = FLOW_WORDS.exec(this.#text)?.[0];
    if (words === undefined || words === '-' || words.startsWith('- ')) return undefined;
    this.#at += words.length;
    return plainScalar(offset, words);
  }

  #list(depth: number): YamlNode | undefined {
    const offset = this.#at;
    const items: YamlNode[] = [];
    this.#at += 1;
    if (this.#skip(']')) return { kind: 'list', offset, items };
    do {
      this.#skip(' ');
      const item = this.#node(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#skip(','));
    this.#skip(' ');
    return this.#skip(']') ? { kind: 'list', offset, items } : undefined;
  }

  #map(depth: number): YamlNode | undefined {
    const offset = this.#at;
    const entries = new Map<string, YamlEntry>();
    this.#at += 1;
    if (this.#skip('}')) return { kind: 'map', offset, entries };
    do {
      this.#skip(' ');
      FLOW_KEY.lastIndex = this.#at;
      const match = FLOW_KEY.exec(this.#text);
      if (match === null || match[0].length > MAX_KEY) return undefined;
      const key = match[1] ?? match[2]!;
      if (key === '__proto__' || key.includes('\n') || entries.has(key)) return undefined;
      const keyOffset = this.#at;
      this.#at += match[0].length;
      const node = this.#node(depth + 1);
      if (node === undefined) return undefined;
      entries.set(key, { keyOffset, node });
    } while (this.#skip(','));
    this.#skip(' ');
    return this.#skip('}') ? { kind: 'map', offset, entries } : undefined;
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }
}

/** A plain scalar; undefined if its type is not obvious. */
function plainScalar(offset: number, source: string): ScalarNode | undefined {
  if (INTEGER.test(source)) return { kind: 'scalar', offset, value: Number(source), source };
  if (source === 'true' || source === 'false')
    return { kind: 'scalar', offset, value: source === 'true', source };
  return NOT_TEXT.test(source) ? undefined : { kind: 'scalar', offset, value: source, source };
}
