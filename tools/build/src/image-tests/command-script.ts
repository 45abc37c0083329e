/** One command and the seconds it may take. */
export interface ScriptedCommand {
  readonly run: readonly string[];
  readonly seconds: number;
}

/**
 * A shell script that runs commands one after the other, whatever becomes of each, and prints of each its exit code and its
 * output (stdout and stderr), both ended by NUL. A command that takes too long ends with 124, as `timeout` has it.
 */
export function commandScript(commands: readonly ScriptedCommand[]): string {
  return commands
    .map(({ run, seconds }) => `said=$(timeout -k 5 ${seconds} ${run.map(quoted).join(' ')} 2>&1 </dev/null); printf '%s\\0%s\\0' "$?" "$said"\n`)
    .join('');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
