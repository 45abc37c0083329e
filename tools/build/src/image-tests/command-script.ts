/** A command and its timeout in seconds. */
export interface ScriptedCommand {
  readonly run: readonly string[];
  readonly seconds: number;
}

/** Seconds between SIGTERM and SIGKILL. */
const KILL_SECONDS = 5;
/** Maximum size of a command's output, in bytes; the end is kept. */
const KEPT = 2 << 20;

/**
 * A shell script that runs all commands one after another, even if some fail. For each it prints
 * the exit code and the output (stdout and stderr), both followed by NUL. A command that times out
 * has the exit code 124, as with `timeout`, or is killed. Output goes to a file in `folder`, not to
 * a pipe, since background processes would keep a pipe open.
 */
export function commandScript(commands: readonly ScriptedCommand[], folder: string): string {
  return commands
    .map(({ run, seconds }, index) => {
      const output = quoted(`${folder}/.ccp-output-${index}`);
      return `timeout -k ${KILL_SECONDS} ${seconds} ${run.map(quoted).join(' ')} >${output} 2>&1 </dev/null; printf '%s\\0%s\\0' "$?" "$(tail -c ${KEPT} ${output})"\n`;
    })
    .join('');
}

/** The total timeout of a script of these commands, in seconds. */
export function scriptSeconds(commands: readonly ScriptedCommand[]): number {
  return commands.reduce((sum, { seconds }) => sum + seconds + KILL_SECONDS, 0);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
