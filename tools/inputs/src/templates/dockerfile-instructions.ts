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

/** The comments and instructions of a Dockerfile whose escape character is the backslash. */
export function parseDockerfile(text: string): { readonly comments: readonly { readonly line: number; readonly text: string }[]; readonly instructions: readonly Instruction[] } {
  const comments: { line: number; text: string }[] = [];
  const instructions: Instruction[] = [];
  let open: { line: number; text: string } | undefined;
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line.startsWith('#')) {
      comments.push({ line: index + 1, text: line });
      return;
    }
    if (line === '') return;
    open ??= { line: index + 1, text: '' };
    const continued = line.endsWith('\\');
    open.text += continued ? `${line.slice(0, -1)} ` : line;
    if (continued) return;
    instructions.push(toInstruction(open));
    open = undefined;
  });
  if (open !== undefined) instructions.push(toInstruction(open));
  return { comments, instructions };
}

function toInstruction({ line, text }: { readonly line: number; readonly text: string }): Instruction {
  const words = /^(\S+)\s*((?:--\S+\s*)*)([^]*)$/.exec(text.trim());
  return {
    line,
    keyword: (words?.[1] ?? '').toUpperCase(),
    flags: (words?.[2] ?? '').split(/\s+/).filter((flag) => flag !== ''),
    rest: (words?.[3] ?? '').trim(),
  };
}
