import type { Position } from '#core';
import { allValid, invalid, mapValid, valid, type Checked } from './checked.ts';

/** A value of an INI file, from which the text is rendered. */
export type IniScalar = string | number | boolean;
/** Section -> option -> value. */
export type IniContent = Readonly<Record<string, Readonly<Record<string, IniScalar>>>>;

/**
 * Writes INI text: sections and options in the given order, booleans as `true` and `false`. A name
 * or value that would be read as something else is a finding `config-unsafe` at `at`: line ends and
 * other control characters, spaces at an end, `]` in a section, `=` or `:` in an option, a comment
 * sign at the start.
 */
export function writeIni(content: IniContent, at: Position): Checked<string> {
  const sections = Object.entries(content).map(([section, options]) =>
    mapValid(
      allValid([guard(section, /^[^[\]]+$/u, 'section', at), optionLines(options, at)]),
      ([name, lines]) => [`[${name}]`, ...lines, ''],
    ),
  );
  return mapValid(allValid(sections), (lines) => `${lines.flat().slice(0, -1).join('\n')}\n`);
}

/**
 * Writes `key = value` lines without sections, as in rabbitmq.conf. Findings as of `writeIni`.
 */
export function writeProperties(
  content: Readonly<Record<string, IniScalar>>,
  at: Position,
): Checked<string> {
  return mapValid(optionLines(content, at), (lines) => `${lines.join('\n')}\n`);
}

function optionLines(
  options: Readonly<Record<string, IniScalar>>,
  at: Position,
): Checked<readonly string[]> {
  const lines = Object.entries(options).map(([option, value]) => {
    const name = guard(option, /^[^=:#;[\]][^=:]*$/u, 'option', at);
    const shown = guard(String(value), /^/u, `value of "${option}"`, at);
    return mapValid(allValid([name, shown]), ([key, text]) =>
      text === '' ? `${key} =` : `${key} = ${text}`,
    );
  });
  return allValid(lines);
}

function guard(text: string, pattern: RegExp, what: string, at: Position): Checked<string> {
  if (pattern.test(text) && !/\p{Cc}|\u2028|\u2029/u.test(text) && text.trim() === text)
    return valid(text);
  return invalid({
    code: 'config-unsafe',
    message: `the ${what} ${JSON.stringify(text)} is not allowed in the file: it would be parsed as a different value`,
    hint: 'remove line breaks, control characters, and spaces at its start and end',
    at,
  });
}
