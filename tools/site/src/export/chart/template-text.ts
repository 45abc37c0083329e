import type { KubernetesObject } from '#ports';
import { yamlText } from '#formats';
import { TOKEN, tokenKey, type SymbolicObjects } from './symbols.ts';

/** How Helm computes a value that a token stands for. */
export interface Expressions {
  /** The expression of a value by the key of its token, without braces. */
  readonly ofValue: ReadonlyMap<string, string>;
  /** Keys of objects whose text changes with values. */
  readonly dynamic: ReadonlySet<string>;
  readonly symbols: SymbolicObjects;
}

/** Keys of the objects with a token of a value, or of such an object. */
export function dynamicKeys(objects: ReadonlyMap<string, KubernetesObject>): ReadonlySet<string> {
  const tokens = new Map(
    [...objects].map(([key, object]) => [key, [...JSON.stringify(object).matchAll(TOKEN)]]),
  );
  const dynamic = new Set<string>();
  for (let size = -1; size !== dynamic.size;) {
    size = dynamic.size;
    for (const [key, found] of tokens) {
      const changes = found.some(
        ([, kind, hex]) =>
          !['N', 'H', 'C'].includes(kind!) ||
          (tokenKey(hex!) !== key && dynamic.has(tokenKey(hex!))),
      );
      if (changes) dynamic.add(key);
    }
  }
  return dynamic;
}

/**
 * The template of an object. Helm computes names and contents that are hashes with
 * `canonicalJson`'s form: `toRawJson` sorts keys and writes no white space.
 */
export function templateText(
  key: string,
  object: KubernetesObject,
  expressions: Expressions,
): string {
  const { names, contents } = expressions.symbols;
  const isNamed = names.has(key) && expressions.dynamic.has(key);
  const hasContent = contents.has(key) && expressions.dynamic.has(key);
  const text = (value: object): string => filled(yamlText(value, hasValueInside), expressions);
  if (!isNamed && !hasContent) return text(object);
  const member = object.kind === 'ConfigMap' ? 'data' : 'spec';
  const body = (object as unknown as Record<string, object>)[member]!;
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
  const hash = (expression: string): string =>
    `{{ ${expression} | toRawJson | sha256sum | trunc 10 }}`;
  const parsed = `include "ccp.body/${key}" . | fromYaml`;
  const base = names.get(key)?.slice(0, -'0123456789'.length);
  const name = isNamed
    ? `{{- define "ccp.name/${key}" -}}\n${base}${hash(parsed)}\n{{- end -}}\n`
    : `{{- define "ccp.content/${key}" -}}\n${hash(`omit (${parsed}) "replicas"`)}\n{{- end -}}\n`;
  return [
    `{{- define "ccp.body/${key}" -}}\n${text(body)}{{ end -}}\n`,
    name,
    text(rest),
    `${member}:\n{{ include "ccp.body/${key}" . | indent 2 }}\n`,
  ].join('');
}

/**
 * True for a longer text with a value of values.yaml: in a block, the value cannot end a quote or
 * start a comment.
 */
function hasValueInside(text: string): boolean {
  return [...text.matchAll(TOKEN)].some(([, kind]) => kind === 'V');
}

/** `{{`, `}}`, and a brace that the braces of an expression would follow. */
const BRACES = new RegExp(`\\{\\{|\\}\\}|\\{(?=${TOKEN.source})`, 'g');

/** Escapes a text for Helm and replaces its tokens by expressions. */
function filled(text: string, { ofValue, dynamic, symbols }: Expressions): string {
  return text
    .replaceAll(BRACES, (braces) => `{{ "${braces}" }}`)
    .replaceAll(TOKEN, (_, kind: string, hex: string) => {
      const key = tokenKey(hex);
      switch (kind) {
        case 'N':
          return dynamic.has(key) ? `{{ include "ccp.name/${key}" . }}` : symbols.names.get(key)!;
        case 'H':
          return dynamic.has(key)
            ? `{{ include "ccp.content/${key}" . }}`
            : symbols.contents.get(key)!;
        case 'C':
          return dynamic.has(key)
            ? `{{ include "ccp.content/${key}" . | quote }}`
            : JSON.stringify(symbols.contents.get(key)!);
        case 'Q':
          return `{{ ${ofValue.get(key)!} | quote }}`;
        default:
          return `{{ ${ofValue.get(key)!} }}`;
      }
    });
}
