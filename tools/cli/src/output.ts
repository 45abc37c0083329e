import { CcpError, CcpErrors, messageOf, redact, type Json } from '#core';

/**
 * Where a command's words go: results to stdout as they are, since a program reads them; progress and errors to stderr with
 * anything secret taken out.
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
  /** The result: `value` as JSON under `--json`, else `text` as it is. */
  result(text: string, value: Json | object): void;
  /** A line of progress; not under `--quiet`. */
  info(text: string): void;
  /** A line that a person must see. */
  warn(text: string): void;
  /** Raw text to stderr, for redrawn progress. */
  draw(text: string): void;
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The output of this process, as the common flags and the environment want it. */
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
      if (written !== '') process.stdout.write(`${written}\n`);
    },
    info: (text) => {
      if (flags.quiet !== true) process.stderr.write(`${redact(text)}\n`);
    },
    warn: (text) => void process.stderr.write(`${redact(text)}\n`),
    draw: (text) => void process.stderr.write(redact(text)),
  };
}

/** What was thrown, for programs. */
export function errorJson(thrown: unknown): Json {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  return {
    errors: findings.map((finding) =>
      finding instanceof CcpError
        ? {
            code: finding.code,
            message: finding.message,
            hint: finding.hint,
            at: finding.at === undefined ? undefined : { file: finding.at.file, line: finding.at.line, column: finding.at.column },
          }
        : { code: 'internal', message: messageOf(finding) },
    ),
  };
}
