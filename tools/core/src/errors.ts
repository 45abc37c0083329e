import { redact } from './redact.ts';

/** Where a finding stands: a file and, where known, its 1-based line and column. */
export interface Position {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Everything an error of ours is made of; `code` is stable and listed in exit-codes.ts where it decides the exit code. */
export interface ErrorParts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly at?: Position;
  readonly cause?: unknown;
}

/** The one error class of the project: what happened, where, and what to do. */
export class CcpError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly at: Position | undefined;

  constructor(parts: ErrorParts) {
    super(redact(parts.message), parts.cause === undefined ? {} : { cause: parts.cause });
    this.name = 'CcpError';
    this.code = parts.code;
    this.hint = parts.hint === undefined ? undefined : redact(parts.hint);
    this.at = parts.at;
  }
}

/** Several findings of one pass, thrown together so that a person mends them in one go. */
export class CcpErrors extends CcpError {
  readonly findings: readonly CcpError[];

  constructor(findings: readonly CcpError[]) {
    const first = findings[0];
    if (first === undefined) throw new Error('CcpErrors needs a finding');
    const more = findings.length - 1;
    super({
      code: first.code,
      message: more === 0 ? first.message : `${first.message} (and ${more} more)`,
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      ...(first.at === undefined ? {} : { at: first.at }),
    });
    this.findings = findings;
  }
}

/** Throws all findings together; returns where there are none. */
export function throwFindings(findings: readonly CcpError[]): void {
  if (findings.length === 1) throw findings[0];
  if (findings.length > 1) throw new CcpErrors(findings);
}

/** `thrown` with the place that it is about, where it is an error of ours that names none; anything else as it is. */
export function withPlace(thrown: unknown, at: Position | undefined): unknown {
  return at === undefined || (thrown instanceof CcpError && thrown.at !== undefined) ? thrown : changed(thrown, { at });
}

/** `thrown` with another word for something that its message names; anything but one error of ours as it is. */
export function withWord(thrown: unknown, word: string, other: string): unknown {
  return thrown instanceof CcpError ? changed(thrown, { message: thrown.message.replaceAll(word, other) }) : thrown;
}

function changed(thrown: unknown, parts: Partial<ErrorParts>): unknown {
  if (!(thrown instanceof CcpError) || thrown instanceof CcpErrors) return thrown;
  const { code, message, hint, at, cause } = thrown;
  return new CcpError({
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(at === undefined ? {} : { at }),
    ...(cause === undefined ? {} : { cause }),
    ...parts,
  });
}

/** A path for people: control characters, which a file's name may hold, are escaped. */
export function shownPath(path: string): string {
  return escapeControls(path);
}

/** A text of unknown origin on one line: control characters are escaped as in JSON. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f]+/g, (found) => JSON.stringify(found).slice(1, -1));
}

/** A finding's message with its place in front, unless it begins with that. */
export function placedMessage({ at, message }: Pick<CcpError, 'at' | 'message'>): string {
  const place = at === undefined ? '' : formatPosition(at);
  const begins = message.startsWith(place) && /^[ :]/.test(message.slice(place.length));
  return place === '' || begins ? message : `${place}: ${message}`;
}

/** What was thrown, for people: each finding with where it is and what to do; causes and stacks only where `verbose`. */
export function errorText(thrown: unknown, verbose = false): string {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  const lines = findings.flatMap((finding) => {
    if (!(finding instanceof CcpError)) return [`ccp: ${messageOf(finding)}`, ...(verbose && finding instanceof Error ? [String(finding.stack)] : [])];
    const cause = verbose && finding.cause !== undefined ? [`  cause: ${messageOf(finding.cause)}`] : [];
    return [`ccp: ${placedMessage(finding)}`, ...(finding.hint === undefined ? [] : [`  -> ${finding.hint}`]), ...cause];
  });
  return lines.join('\n');
}

/** `file:line:column`, as far as it is known. */
export function formatPosition(at: Position): string {
  return [shownPath(at.file), at.line, at.line === undefined ? undefined : at.column].filter((part) => part !== undefined).join(':');
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return redact(thrown instanceof Error ? thrown.message : String(thrown));
}

/** `code` of a Node system error or of ours, if it has one. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
