/** A path of the image. */
export interface ImageFile {
  /** As find's `%y`: `f`, `d`, `l`, ... */
  readonly type: string;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly path: string;
}

/** An ELF file whose libraries are not all found, and what the loader said of it. */
export interface LibraryFault {
  readonly path: string;
  readonly said: string;
}

/** What probe.sh saw. */
export interface ImageFiles {
  readonly files: readonly ImageFile[];
  /** Lines of /etc/passwd. */
  readonly users: readonly string[];
  readonly libraries: readonly LibraryFault[];
}

/** Reads what probe.sh printed; nothing where it was cut off. */
export function parseProbe(text: string): ImageFiles | undefined {
  const fields = text.split('\0');
  const files: ImageFile[] = [];
  const users: string[] = [];
  const libraries: LibraryFault[] = [];
  for (let at = 0; at + 4 < fields.length; at += 4) {
    const [kind, first, second, third] = fields.slice(at, at + 4) as [string, string, string, string];
    if (kind === 'file') files.push({ type: first, mode: Number.parseInt(second, 8), path: third });
    if (kind === 'user') users.push(first);
    if (kind === 'library') libraries.push({ path: first, said: second });
    if (kind === 'end') return { files, users, libraries };
  }
  return undefined;
}

/** How a command in the image ended. */
export interface CommandResult {
  readonly exitCode: number;
  /** stdout and stderr as they came, without the last line breaks. */
  readonly output: string;
}

/** Reads the records of `commandScript`: exit code and output, each ended by NUL; shorter than asked where it was cut off. */
export function parseCommands(text: string): readonly CommandResult[] {
  const fields = text.split('\0');
  return Array.from({ length: fields.length >> 1 }, (_, index) => ({ exitCode: Number(fields[2 * index]), output: fields[2 * index + 1]! }));
}
