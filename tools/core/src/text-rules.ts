/** What a text may be. */
export interface TextRules {
  /** Regular expression that it must match as a whole. */
  readonly pattern?: string;
  readonly choices?: readonly string[];
}

/** Why a text is none that the rules allow, as a clause after its name; `undefined` where it is one. */
export function textFault({ pattern, choices }: TextRules, value: string): string | undefined {
  if (choices !== undefined && !choices.includes(value)) return `must be one of ${choices.join(', ')}`;
  if (pattern !== undefined && regExpOf(pattern)?.test(value) === false) return `must match ${pattern}`;
  return undefined;
}

/** Why the rules cannot be asked; `undefined` where they can. */
export function rulesFault({ pattern }: TextRules): string | undefined {
  return pattern === undefined || regExpOf(pattern) !== undefined ? undefined : `${JSON.stringify(pattern)} is no regular expression`;
}

function regExpOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return undefined;
  }
}
