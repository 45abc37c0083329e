const TOKEN =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing';

/**
 * The offset of the first fault in a text that is not JSON: the engine names no position for some
 * faults. The length of the text if it ends too early.
 */
export function jsonFaultOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : ', or end');
  for (;;) {
    SPACE.lastIndex = offset;
    SPACE.exec(text);
    offset = SPACE.lastIndex;
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return offset;
    const next = step(token, expected, open, afterValue);
    if (next === undefined) return offset;
    expected = next;
    offset += token.length;
  }
}

function step(
  token: string,
  expected: Expected,
  open: ('{' | '[')[],
  afterValue: () => Expected,
): Expected | undefined {
  const isValue = expected === 'value' || expected === 'value or ]';
  if (token === '{' || token === '[') {
    if (!isValue) return undefined;
    open.push(token);
    return token === '{' ? 'key or }' : 'value or ]';
  }
  if (token === '}' || token === ']') {
    const isEmpty = expected === (token === '}' ? 'key or }' : 'value or ]');
    const isOpen = open.at(-1) === (token === '}' ? '{' : '[');
    if (!isOpen || !(isEmpty || expected === ', or end')) return undefined;
    open.pop();
    return afterValue();
  }
  if (token === ',')
    return expected !== ', or end' ? undefined : open.at(-1) === '{' ? 'key' : 'value';
  if (token === ':') return expected === ':' ? 'value' : undefined;
  if (expected === 'key' || expected === 'key or }') return token.startsWith('"') ? ':' : undefined;
  return isValue ? afterValue() : undefined;
}
