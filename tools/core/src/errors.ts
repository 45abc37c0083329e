import { escapeControls, escapeUnsafe } from './escape-controls.ts';
import { redact } from './redact.ts';
import { omitUndefined } from './omit-undefined.ts';

/** The position of a finding: a file and, if known, a line and column counted from 1. */
export interface Position {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/**
 * The parts of an error. `code` is stable; exit-codes.ts lists the codes that determine the exit
 * code.
 */
export interface ErrorParts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly at?: Position;
  /** Names of the locked inputs that the error is about. */
  readonly inputs?: readonly string[];
  readonly cause?: unknown;
}

/** A text without secrets and without characters that control a terminal. */
function shown(text: string): string {
  return escapeUnsafe(redact(text));
}

/** The error class of the project: what happened, where, and what to do. */
export class CcpError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly at: Position | undefined;
  readonly inputs: readonly string[] | undefined;

  constructor(parts: ErrorParts) {
    super(shown(parts.message), parts.cause === undefined ? {} : { cause: parts.cause });
    this.name = 'CcpError';
    this.code = parts.code;
    this.hint = parts.hint === undefined ? undefined : shown(parts.hint);
    this.at = parts.at;
    this.inputs = parts.inputs;
  }
}

/** Several findings, thrown together so that a person can fix all of them at the same time. */
export class CcpErrors extends CcpError {
  readonly findings: readonly CcpError[];

  constructor(findings: readonly CcpError[]) {
    const first = findings[0];
    if (first === undefined) throw new Error('CcpErrors needs a finding');
    const more = findings.length - 1;
    super({
      code: first.code,
      message: more === 0 ? first.message : `${first.message} (and ${more} more)`,
      ...omitUndefined({ hint: first.hint }),
      ...omitUndefined({ at: first.at }),
    });
    this.findings = findings;
  }
}

/** Throws all findings together, if there are any. */
export function throwFindings(findings: readonly CcpError[]): void {
  if (findings.length === 1) throw findings[0];
  if (findings.length > 1) throw new CcpErrors(findings);
}

/** Adds a position to a `CcpError` that has none; anything else is returned unchanged. */
export function withPlace(thrown: unknown, at: Position | undefined): unknown {
  return at === undefined || (thrown instanceof CcpError && thrown.at !== undefined)
    ? thrown
    : changed(thrown, { at });
}

/** Replaces a word in the message of a single `CcpError`; anything else is returned unchanged. */
export function withWord(thrown: unknown, word: string, other: string): unknown {
  return thrown instanceof CcpError
    ? changed(thrown, { message: thrown.message.replaceAll(word, other) })
    : thrown;
}

/** `thrown` with the names of the inputs that it is about; unchanged unless it is a CcpError. */
export function withInputs<T>(thrown: T, inputs: readonly string[]): T {
  return changed(thrown, { inputs }) as T;
}

function changed(thrown: unknown, parts: Partial<ErrorParts>): unknown {
  if (!(thrown instanceof CcpError) || thrown instanceof CcpErrors) return thrown;
  const { code, message, hint, at, inputs, cause } = thrown;
  return new CcpError({
    code,
    message,
    ...omitUndefined({ hint }),
    ...omitUndefined({ at }),
    ...omitUndefined({ inputs }),
    ...omitUndefined({ cause }),
    ...parts,
  });
}

/** A path for messages: control characters in file names are escaped. */
export function shownPath(path: string): string {
  return escapeControls(path);
}

/** A message with its position in front, unless the message already starts with it. */
export function placedMessage({ at, message }: Pick<CcpError, 'at' | 'message'>): string {
  const place = at === undefined ? '' : formatPosition(at);
  const begins = message.startsWith(place) && /^[ :]/.test(message.slice(place.length));
  return place === '' || begins ? message : `${place}: ${message}`;
}

/**
 * The text of an error: each finding with its position and hint; causes and stacks only if
 * `verbose`.
 */
export function errorText(thrown: unknown, verbose = false): string {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  const lines = findings.flatMap((finding) => {
    if (!(finding instanceof CcpError))
      return [
        `ccp: ${messageOf(finding)}`,
        ...(verbose && finding instanceof Error ? [String(finding.stack)] : []),
      ];
    const cause =
      verbose && finding.cause !== undefined ? [`  cause: ${messageOf(finding.cause)}`] : [];
    return [
      `ccp: ${placedMessage(finding)}`,
      ...(finding.hint === undefined ? [] : [`  -> ${finding.hint}`]),
      ...cause,
    ];
  });
  return lines.join('\n');
}

/** `file:line:column`; without unknown parts. */
export function formatPosition(at: Position): string {
  return [shownPath(at.file), at.line, at.line === undefined ? undefined : at.column]
    .filter((part) => part !== undefined)
    .join(':');
}

/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return shown(thrown instanceof Error ? thrown.message : String(thrown));
}

/** The `code` of a Node system error or a `CcpError`; `undefined` for other values. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
