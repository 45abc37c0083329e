import { styleText } from 'node:util';

const STYLES = {
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  strong: 'bold',
  faint: 'dim',
} as const;

/** The meaning of a part of a text. */
export type Meaning = keyof typeof STYLES;

/** A text in the colour of its meaning; the caller has checked the terminal. */
export function coloured(text: string, meaning: Meaning): string {
  return styleText(STYLES[meaning], text, { validateStream: false });
}

/** Whether a stream may get colours (https://no-color.org). */
export function allowsColour(isTerminal: boolean | undefined, env: NodeJS.ProcessEnv): boolean {
  const refused = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb' || env['CI'] !== undefined;
  return isTerminal === true && !refused;
}

/** Colours one line of a text. */
export type ColourLine = (line: string) => string;

/** Signs in the texts of deployments: states of steps, planned changes and drift. */
const SIGNS: Readonly<Record<string, Meaning>> = {
  '✓': 'good',
  '+': 'good',
  '~': 'warning',
  '!': 'warning',
  '-': 'warning',
  '?': 'bad',
  x: 'bad',
};

/** Colours the sign that starts a line of a deployment's plan, diff or status. */
export const colourSign: ColourLine = (line) =>
  line.replace(/^( {2})(\S)(?= )/, (all: string, indent: string, sign: string) =>
    marked(all, indent, sign, SIGNS),
  );

const OUTCOMES: Readonly<Record<string, Meaning>> = {
  ok: 'good',
  built: 'good',
  warning: 'warning',
  blocked: 'warning',
  cancelled: 'warning',
  failed: 'bad',
};

/** Colours the outcome in a row of the build table: its third word. */
export const colourOutcome: ColourLine = (line) =>
  line.replace(/^(\S+ +\S+ +)(\S+)/, (all: string, before: string, word: string) =>
    marked(all, before, word, OUTCOMES),
  );

/** Colours the first word of a line, if it is the outcome of a check. */
export const colourCheck: ColourLine = (line) =>
  line.replace(/^()(\S+)(?= {2})/, (all: string, before: string, word: string) =>
    marked(all, before, word, OUTCOMES),
  );

const LABELS: Readonly<Record<string, Meaning>> = { 'ccp:': 'bad', 'warning:': 'warning' };

/**
 * Colours the start of an error or a warning, and the outcome behind the name of an image or step.
 */
export const colourMessage: ColourLine = (line) =>
  line
    .replace(/^()(\S+)(?= )/, (all: string, before: string, word: string) =>
      marked(all, before, word, LABELS),
    )
    .replace(/^(\[[^\]]+\] )(\w+)/, (all: string, name: string, word: string) =>
      marked(all, name, word, OUTCOMES),
    );

function marked(
  all: string,
  before: string,
  word: string,
  meanings: Readonly<Record<string, Meaning>>,
): string {
  const meaning = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  return meaning === undefined ? all : `${before}${coloured(word, meaning)}`;
}

/** `colour` for each line of a text. */
export function colourLines(text: string, colour: ColourLine): string {
  return text.split('\n').map(colour).join('\n');
}
