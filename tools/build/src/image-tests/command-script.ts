/** One command and the seconds it may take. */
export interface ScriptedCommand {
  readonly run: readonly string[];
  readonly seconds: number;
}

/** Seconds from the signal that tells a command to end to the one that ends it. */
const KILL_SECONDS = 5;
/** Bytes kept of what a command prints, from its end. */
const KEPT = 2 << 20;

/**
 * A shell script that runs commands one after the other, whatever becomes of each, and prints of each its exit code and its
 * output (stdout and stderr), both ended by NUL. A command that takes too long ends with 124, as `timeout` has it, or is killed. What it
 * prints goes to a file in `folder`, not to a pipe: what a command leaves running would keep that open.
 */
export function commandScript(commands: readonly ScriptedCommand[], folder: string): string {
  return commands
    .map(({ run, seconds }, index) => {
      const said = quoted(`${folder}/.ccp-said-${index}`);
      return `timeout -k ${KILL_SECONDS} ${seconds} ${run.map(quoted).join(' ')} >${said} 2>&1 </dev/null; printf '%s\\0%s\\0' "$?" "$(tail -c ${KEPT} ${said})"\n`;
    })
    .join('');
}

/** Seconds that a script of these commands may take, if each takes all of its own. */
export function scriptSeconds(commands: readonly ScriptedCommand[]): number {
  return commands.reduce((sum, { seconds }) => sum + seconds + KILL_SECONDS, 0);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
