import { linearPattern, messageOf, type LinearPattern } from '#core';

/** Rules for a text. */
export interface TextRules {
  /** Regular expression that must match the whole text; matched in linear time. */
  readonly pattern?: string;
  readonly choices?: readonly string[];
}

/** Characters of the longest pattern, and of the longest text that is compared with one. */
const MAX_PATTERN = 500;
const MAX_TEXT = 10_000;

/** Why the rules refuse a text, as a clause after its name; `undefined` if they allow it. */
export function textFault({ pattern, choices }: TextRules, value: string): string | undefined {
  if (choices !== undefined && !choices.includes(value))
    return `must be one of ${choices.join(', ')}`;
  if (pattern === undefined) return undefined;
  if (value.length > MAX_TEXT) return `must have at most ${MAX_TEXT} characters`;
  const compiled = compile(pattern);
  return typeof compiled === 'string' || compiled.matches(value)
    ? undefined
    : `must match ${pattern}`;
}

/** Why the rules themselves are invalid; `undefined` if they are valid. */
export function rulesFault({ pattern }: TextRules): string | undefined {
  const compiled = pattern === undefined ? undefined : compile(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

const compiledPatterns = new Map<string, LinearPattern | string>();

/** The compiled pattern, or why it is invalid. */
function compile(pattern: string): LinearPattern | string {
  let compiled = compiledPatterns.get(pattern);
  if (compiled === undefined) compiledPatterns.set(pattern, (compiled = compileNew(pattern)));
  return compiled;
}

function compileNew(pattern: string): LinearPattern | string {
  if (pattern.length > MAX_PATTERN)
    return `a regular expression has at most ${MAX_PATTERN} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return `${JSON.stringify(pattern)} is not a regular expression`;
  }
  try {
    return linearPattern(pattern);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return `${JSON.stringify(pattern)} cannot be matched in linear time: ${messageOf(thrown)}`;
  }
}
