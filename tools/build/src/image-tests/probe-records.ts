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

/** The records of probe.sh. */
export interface ImageFiles {
  readonly files: readonly ProbedFile[];
  /** Lines of /etc/passwd. */
  readonly users: readonly string[];
  readonly libraries: readonly LibraryFault[];
}

/** Parses the output of probe.sh; undefined if it is incomplete. */
export function parseProbe(text: string): ImageFiles | undefined {
  const fields = text.split('\0');
  const files: ProbedFile[] = [];
  const users: string[] = [];
  const libraries: LibraryFault[] = [];
  for (let at = 0; at + 4 < fields.length; at += 4) {
    const [kind, first, second, third] = fields.slice(at, at + 4) as [
      string,
      string,
      string,
      string,
    ];
    if (kind === 'file') files.push({ type: first, mode: Number.parseInt(second, 8), path: third });
    if (kind === 'user') users.push(first);
    if (kind === 'library') libraries.push({ path: first, loaderOutput: second });
    if (kind === 'end') return { files, users, libraries };
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
