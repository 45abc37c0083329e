/** An instruction of a Dockerfile with its continuation lines joined. */
export interface Instruction {
  /** 1-based line of its first line. */
  readonly line: number;
  /** Upper-case. */
  readonly keyword: string;
  /** `--name=value` words in front. */
  readonly flags: readonly string[];
  readonly rest: string;
}

/** A line of a Dockerfile and its 1-based number. */
export interface DockerfileLine {
  readonly line: number;
  readonly text: string;
}

export interface ParsedDockerfile {
  readonly comments: readonly DockerfileLine[];
  readonly instructions: readonly Instruction[];
  /**
   * Lines with a character that engines could treat as white space or a line end, and lines that
   * end in two backslashes.
   */
  readonly doubtful: readonly DockerfileLine[];
}

// Control characters, and what Unicode counts as space, as an end of line or as no character at
// all.
const DOUBTFUL =
  /[\0-\x08\x0b-\x1f\x7f-\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]|\\\\[ \t]*$/;
const CONTINUED = /\\[ \t]*$/;

/**
 * Parses a Dockerfile like BuildKit with the backslash as escape character: comments and empty
 * lines inside an instruction are skipped, and its lines are joined without a separator.
 */
export function parseDockerfile(text: string): ParsedDockerfile {
  const comments: DockerfileLine[] = [];
  const instructions: Instruction[] = [];
  const doubtful: DockerfileLine[] = [];
  let open: { line: number; text: string } | undefined;
  text.split('\n').forEach((raw, index) => {
    const line = { line: index + 1, text: raw.trim() };
    if (DOUBTFUL.test(raw)) doubtful.push(line);
    if (line.text.startsWith('#')) comments.push(line);
    if (line.text === '' || line.text.startsWith('#')) return;
    open ??= { line: index + 1, text: '' };
    open.text += raw.replace(CONTINUED, '');
    if (CONTINUED.test(raw)) return;
    instructions.push(toInstruction(open));
    open = undefined;
  });
  if (open !== undefined) instructions.push(toInstruction(open));
  return { comments, instructions, doubtful };
}

function toInstruction({
  line,
  text,
}: {
  readonly line: number;
  readonly text: string;
}): Instruction {
  const words = /^(\S+)\s*((?:--\S+\s*)*)([^]*)$/.exec(text.trim());
  return {
    line,
    keyword: (words?.[1] ?? '').toUpperCase(),
    flags: (words?.[2] ?? '').split(/\s+/).filter((flag) => flag !== ''),
    rest: (words?.[3] ?? '').trim(),
  };
}

/**
 * The words of an instruction: a JSON list of strings, or separated by spaces. Undefined for an
 * invalid list, which engines parse differently.
 */
export function wordsOf(rest: string): string[] | undefined {
  if (!rest.startsWith('[')) return rest.split(/\s+/);
  try {
    const list: unknown = JSON.parse(rest);
    return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
