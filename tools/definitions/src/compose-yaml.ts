import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { composePlainYaml } from './compose-plain-yaml.ts';
import type { YamlEntry, YamlNode } from './yaml-node.ts';

/** An error in a YAML text with its offset; `hint` states the correction. */
export interface YamlFinding {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

/** Maximum nesting of a file; the repository's own files have less than ten levels. */
const MAX_DEPTH = 32;
const MAX_SYNTAX_FINDINGS = 5;
const MAX_MESSAGE = 200;

const load = createRequire(import.meta.url);

/** A document, or the findings about its text. */
export interface ComposedYaml {
  readonly node?: YamlNode;
  readonly findings: readonly YamlFinding[];
}

/**
 * Reads one YAML 1.2 document (core schema) from an untrusted file. Rejects a second document,
 * anchors, aliases, tags, keys that are not text, repeated keys and more than 32 levels. Returns no
 * node after a syntax error.
 */
export function composeYaml(text: string): ComposedYaml {
  const node = composePlainYaml(text);
  return node === undefined ? composeFullYaml(text) : { node, findings: [] };
}

/** `composeYaml` by the YAML library alone. */
export function composeFullYaml(text: string): ComposedYaml {
  const { stackTraceLimit } = Error;
  // The parser creates an error for every invalid byte; its stack trace would cost ten times as
  // much.
  Error.stackTraceLimit = 0;
  try {
    return compose(text);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function compose(text: string): ComposedYaml {
  const yaml = load('yaml') as typeof Yaml;
  const parser = new yaml.Parser();
  const tokens: Yaml.CST.Token[] = [];
  for (const lexeme of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH + 2) {
      return {
        findings: [
          { offset: parser.offset, message: `nesting is deeper than ${MAX_DEPTH} levels` },
        ],
      };
    }
  }
  for (const token of parser.end()) tokens.push(token);

  const composer = new yaml.Composer({
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const documents = [...composer.compose(tokens, true, text.length)];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    const first = errors.slice(0, MAX_SYNTAX_FINDINGS);
    return {
      findings: first.map((error) => ({
        offset: error.pos[0],
        message: error.message.slice(0, MAX_MESSAGE),
      })),
    };
  }
  if (documents.length > 1) {
    return {
      findings: [
        {
          offset: documents[1]!.range[0],
          message: 'a second document starts here',
          hint: 'keep one document per file',
        },
      ],
    };
  }
  const contents = documents[0]?.contents;
  if (contents === null || contents === undefined)
    return {
      findings: [
        { offset: 0, message: 'the file is empty', hint: 'add content, or remove the file' },
      ],
    };
  const findings: YamlFinding[] = [];
  return { node: convert(contents, yaml, findings), findings };
}

function convert(node: Yaml.Node, yaml: typeof Yaml, findings: YamlFinding[]): YamlNode {
  const offset = node.range?.[0] ?? 0;
  if (yaml.isAlias(node)) {
    findings.push({
      offset,
      message: `*${node.source} is an alias`,
      hint: 'write the value itself; aliases are not supported',
    });
    return { kind: 'scalar', offset, value: null, source: '' };
  }
  if (node.anchor !== undefined) {
    findings.push({
      offset,
      message: `&${node.anchor} is an anchor`,
      hint: 'remove it; anchors and aliases are not supported',
    });
  }
  if (node.tag !== undefined) {
    findings.push({
      offset,
      message: `the value has the YAML tag ${node.tag}`,
      hint: 'remove the tag: YAML tags are not supported',
    });
  }
  if (yaml.isMap(node))
    return { kind: 'map', offset, entries: convertEntries(node, yaml, findings) };
  if (yaml.isSeq(node)) {
    return {
      kind: 'list',
      offset,
      items: node.items.map((item) => convert(item as Yaml.Node, yaml, findings)),
    };
  }
  const { value, source } = node as Yaml.Scalar;
  const plain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : null;
  return { kind: 'scalar', offset, value: plain, source: source ?? String(value) };
}

function convertEntries(
  map: Yaml.YAMLMap,
  yaml: typeof Yaml,
  findings: YamlFinding[],
): ReadonlyMap<string, YamlEntry> {
  const entries = new Map<string, YamlEntry>();
  for (const pair of map.items) {
    const key = pair.key as Yaml.Node;
    const keyOffset = key.range?.[0] ?? 0;
    if (!yaml.isScalar(key)) {
      findings.push({ offset: keyOffset, message: 'a key must be text' });
      continue;
    }
    const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
    if (name === '__proto__')
      findings.push({ offset: keyOffset, message: 'the key "__proto__" is not allowed' });
    else if (entries.has(name))
      findings.push({
        offset: keyOffset,
        message: `the key "${name}" is repeated in the same map`,
      });
    else {
      const node: YamlNode =
        pair.value === null
          ? { kind: 'scalar', offset: keyOffset, value: null, source: '' }
          : convert(pair.value as Yaml.Node, yaml, findings);
      entries.set(name, { keyOffset, node });
    }
  }
  return entries;
}
