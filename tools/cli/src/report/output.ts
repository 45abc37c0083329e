import { CcpError, CcpErrors, escapeUnsafe, messageOf, redact, type Json } from '#core';

/**
 * The output of a command: results to stdout, unchanged if a program reads them; progress and errors to
 * stderr with secrets redacted. Control characters are escaped on terminals and stderr.
 */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** True where progress may be redrawn. */
  readonly terminal: boolean;
  /** True where a result may be redrawn. */
  readonly liveResult: boolean;
  readonly colour: boolean;
  /** The result: `value` as JSON with `--json`, else `text`. */
  result(text: string, value: Json | object): void;
  /** A line of progress; hidden by `--quiet`. */
  info(text: string): void;
  /** A line that `--quiet` does not hide. */
  warn(text: string): void;
  /** Raw text to stderr, for redrawn progress. */
  draw(text: string): void;
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The output of this process for the common flags and the environment. */
export function processOutput(flags: OutputFlags, env: NodeJS.ProcessEnv = process.env): Output {
  const redraws = env['CI'] === undefined && env['TERM'] !== 'dumb';
  const terminal = process.stderr.isTTY === true && redraws && flags.quiet !== true;
  return {
    json: flags.json === true,
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    terminal,
    liveResult: process.stdout.isTTY === true && redraws && flags.json !== true,
    colour: terminal && !env['NO_COLOR'],
    result: (text, value) => {
      const written = flags.json === true ? JSON.stringify(value, undefined, 2) : text;
      // JSON has its own escapes; text for a program is not changed.
      const safe =
        flags.json === true || process.stdout.isTTY === true ? escapeUnsafe(written) : written;
      if (safe !== '') process.stdout.write(`${safe}\n`);
    },
    info: (text) => {
      if (flags.quiet !== true) process.stderr.write(`${escapeUnsafe(redact(text))}\n`);
    },
    warn: (text) => void process.stderr.write(`${escapeUnsafe(redact(text))}\n`),
    draw: (text) => void process.stderr.write(redact(text)),
  };
}

/** A thrown value as JSON. */
export function errorJson(thrown: unknown): Json {
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
