/** A file in an image. */
export interface ProbedFile {
  /** As in find's `%y`: `f`, `d`, `l`, ... */
  readonly type: string;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly path: string;
}

/** An ELF file with missing libraries, and the loader's output. */
export interface LibraryFault {
  readonly path: string;
  readonly loaderOutput: string;
}

/** Parses the output of probe.sh; undefined if it is incomplete. */
export function parseProbe(text: string): readonly LibraryFault[] | undefined {
  const fields = text.split('\0');
  const faults: LibraryFault[] = [];
  for (let at = 0; at + 2 < fields.length; at += 2) {
    const [path, loaderOutput] = fields.slice(at, at + 2) as [string, string];
    if (path === 'end') return faults;
    faults.push({ path, loaderOutput });
  }
  return undefined;
}

/** The result of a command in the image. */
export interface CommandResult {
  readonly exitCode: number;
  /** stdout and stderr interleaved, without trailing line breaks. */
  readonly output: string;
  /** If the command timed out and was run again: the time limit of the second run in seconds. */
  readonly repeatedSeconds?: number;
}

/** Parses the output of `commandScript`; has fewer results than commands if it is incomplete. */
export function parseCommands(text: string): readonly CommandResult[] {
  const fields = text.split('\0');
  return Array.from({ length: fields.length >> 1 }, (_, index) => ({
    exitCode: Number(fields[2 * index]),
    output: fields[2 * index + 1]!,
  }));
}
