import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Texts that readers of YAML 1.1 would not read back without double quotes: with tabs, control
 * characters, line ends other than line feeds, or the words for defaults and merges.
 */
const QUOTED = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\ufffe\uffff]|^(?:=|<<)$/u;
/** Characters that YAML 1.1 reads as line ends, or does not allow. Line feeds are fine. */
const ESCAPED = /[\u0080-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * A value as YAML that readers of YAML 1.1 (kubectl, Helm, PyYAML) and of YAML 1.2 understand in
 * the same way. Texts that `isBlock` selects have a line of their own (`|-`).
 */
export function yamlText(value: object, isBlock: (text: string) => boolean = () => false): string {
  const { Document, visit } = require('yaml') as typeof import('yaml');
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(key, node) {
      const { value: text } = node;
      if (typeof text !== 'string') return;
      if (QUOTED.test(text.replaceAll('\n', ''))) node.type = 'QUOTE_DOUBLE';
      else if (key !== 'key' && isBlock(text)) node.type = 'BLOCK_LITERAL';
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .replace(ESCAPED, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
