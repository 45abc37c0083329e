import { CcpError, CcpErrors, escapeUnsafe, messageOf, redact, type Json } from '#core';
import { allowsColour, colourLines, colourMessage, type ColourLine } from './colour.ts';
import { wrapText } from './wrap.ts';

/**
 * The output of a command: results to stdout, unchanged if a program reads them; progress and
 * errors to stderr with secrets redacted. Control characters are escaped on terminals and stderr.
 */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** True where progress may be redrawn. */
  readonly terminal: boolean;
  /** True where a result may be redrawn. */
  readonly liveResult: boolean;
  /** True where progress and errors are coloured. */
  readonly colour: boolean;
  /** True where results are coloured. */
  readonly colourResult: boolean;
  /**
   * The result: `value` as JSON with `--json`, else `text`. A terminal gets its lines wrapped by
   * words and coloured by `style`, or unchanged if they are `verbatim`: YAML, logs, scripts.
   */
  result(text: string, value: Json | object, style?: ResultStyle): void;
  /** A line of progress; hidden by `--quiet`. */
  info(text: string): void;
  /** A line that `--quiet` does not hide. */
  warn(text: string): void;
  /** Raw text to stderr, for redrawn progress. */
  draw(text: string): void;
}

/** How a terminal shows a result. */
export type ResultStyle = ColourLine | 'verbatim';

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The streams of a process; tests pass a fake. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The output of this process for the common flags and the environment. */
export function processOutput(
  flags: OutputFlags,
  env: NodeJS.ProcessEnv = process.env,
  { stdout, stderr }: OutputStreams = process,
): Output {
  const colour = allowsColour(stderr.isTTY, env);
  const colourResult = allowsColour(stdout.isTTY, env) && flags.json !== true;
  const printResult = (safe: string, colourLine: ColourLine | undefined): void => {
    const rows = wrapped(safe, stdout);
    const isColoured = colourResult && colourLine !== undefined;
    stdout.write(`${isColoured ? colourLines(rows, colourLine) : rows}\n`);
  };
  const printError = (text: string): void => {
    const safe = wrapped(escapeUnsafe(redact(text)), stderr);
    stderr.write(`${colour ? colourLines(safe, colourMessage) : safe}\n`);
  };
  const redraws = env['CI'] === undefined && env['TERM'] !== 'dumb';
  const terminal = stderr.isTTY === true && redraws && flags.quiet !== true;
  return {
    json: flags.json === true,
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    terminal,
    liveResult: stdout.isTTY === true && redraws && flags.json !== true,
    colour,
    colourResult,
    result: (text, value, style) => {
      const written = flags.json === true ? JSON.stringify(value, undefined, 2) : text;
      // JSON has its own escapes; text for a program is not changed.
      const safe = flags.json === true || stdout.isTTY === true ? escapeUnsafe(written) : written;
      if (safe === '') return;
      if (flags.json === true || style === 'verbatim') stdout.write(`${safe}\n`);
      else printResult(safe, style);
    },
    info: (text) => {
      if (flags.quiet !== true) printError(text);
    },
    warn: printError,
    draw: (text) => void stderr.write(redact(text)),
  };
}

/** A text wrapped for a terminal; unchanged elsewhere. */
function wrapped(text: string, { isTTY, columns }: OutputStream): string {
  return isTTY === true && columns !== undefined && columns > 0 ? wrapText(text, columns) : text;
}

/** A thrown value as JSON. */
export function errorJson(thrown: unknown): { readonly errors: Json } {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  return {
    errors: findings.map((finding) =>
      finding instanceof CcpError
        ? {
            code: finding.code,
            message: finding.message,
            hint: finding.hint,
            at:
              finding.at === undefined
                ? undefined
                : { file: finding.at.file, line: finding.at.line, column: finding.at.column },
          }
        : { code: 'internal', message: messageOf(finding) },
    ),
  };
}
