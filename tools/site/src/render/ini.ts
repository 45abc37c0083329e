import { CcpError, type Position } from '#core';

/** A value of an INI file, which its text is made of. */
export type IniScalar = string | number | boolean;
/** Section -> option -> value. */
export type IniContent = Readonly<Record<string, Readonly<Record<string, IniScalar>>>>;

/**
 * INI text: sections and options in the given order, booleans as `true` and `false`. Raises `config-unsafe` at `at` for a name
 * or value that would read back as something else: line ends and other control characters, blanks at an end, `]` in a section,
 * `=` or `:` in an option, a comment sign at the start.
 */
export function writeIni(content: IniContent, at: Position): string {
  const lines: string[] = [];
  for (const [section, options] of Object.entries(content)) {
    if (lines.length > 0) lines.push('');
    lines.push(`[${guard(section, /^[^[\]]+$/u, 'section', at)}]`);
    lines.push(...optionLines(options, at));
  }
  return `${lines.join('\n')}\n`;
}

/** `key = value` lines without sections, as rabbitmq.conf and others have them; the guards of `writeIni`. */
export function writeProperties(
  content: Readonly<Record<string, IniScalar>>,
  at: Position,
): string {
  return `${optionLines(content, at).join('\n')}\n`;
}

function optionLines(options: Readonly<Record<string, IniScalar>>, at: Position): string[] {
  return Object.entries(options).map(([option, value]) => {
    const name = guard(option, /^[^=:#;[\]][^=:]*$/u, 'option', at);
    const shown = guard(String(value), /^/u, `value of "${option}"`, at);
    return shown === '' ? `${name} =` : `${name} = ${shown}`;
  });
}

function guard(text: string, pattern: RegExp, what: string, at: Position): string {
  if (pattern.test(text) && !/\p{Cc}|\u2028|\u2029/u.test(text) && text.trim() === text)
    return text;
  throw new CcpError({
    code: 'config-unsafe',
    message: `the ${what} ${JSON.stringify(text)} cannot stand in the file: it would read back as something else`,
    hint: 'take out line ends, control characters and blanks at its ends',
    at,
  });
}
