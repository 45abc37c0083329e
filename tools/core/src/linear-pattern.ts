import { parsePattern, type PatternNode } from './parse-pattern.ts';

/** Maximum number of instructions in a pattern: the maximum number of steps per character. */
const MAX_INSTRUCTIONS = 2_000;

/**
 * A step of a match: a test of a character, a fork or an assertion, each with the following
 * instructions.
 */
type Instruction =
  | { readonly kind: 'character'; readonly test: (character: string) => boolean }
  | { readonly kind: 'fork'; to: readonly number[] }
  | { readonly kind: 'start' | 'end' };

/** A regular expression that matches in time proportional to the length of the text. */
export interface LinearPattern {
  /** True if the pattern matches the whole text. */
  matches(text: string): boolean;
}

/**
 * Compiles a regular expression to an automaton whose states are all followed at the same time, so
 * that no text can make it hang. The syntax is that of `RegExp` with the flag `u`, without
 * look-around, backreferences and `\b`. Throws a `SyntaxError` for other patterns and for patterns
 * with too many repetitions.
 */
export function linearPattern(source: string): LinearPattern {
  // Checks the syntax first: the parser below assumes balanced brackets and parentheses.
  new RegExp(source, 'u');
  const node = parsePattern(source);
  if (sizeOf(node) > MAX_INSTRUCTIONS)
    throw new SyntaxError(`it repeats more than ${MAX_INSTRUCTIONS} parts`);
  const program: Instruction[] = [];
  emit(node, program);
  return { matches: (text) => run(program, [...text]) };
}

/** Compiles a node to instructions. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
    case 'choice': {
      const parts = node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
      return node.kind === 'sequence' ? parts : parts + node.parts.length + 1;
    }
    case 'repeat': {
      const copies = node.most === Infinity ? node.least + 1 : node.most;
      return copies * (sizeOf(node.part) + 2);
    }
    default:
      return 1;
  }
}

function emit(node: PatternNode, program: Instruction[]): void {
  switch (node.kind) {
    case 'character':
      program.push(node);
      return;
    case 'start':
    case 'end':
      program.push({ kind: node.kind });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(node.parts, program);
      return;
    case 'repeat': {
      for (let copy = 0; copy < node.least; copy += 1) emit(node.part, program);
      if (node.most === Infinity) emitLoop(node.part, program);
      else
        for (let copy = node.least; copy < node.most; copy += 1)
          emitChoice([node.part, { kind: 'sequence', parts: [] }], program);
    }
  }
}

function emitChoice(parts: readonly PatternNode[], program: Instruction[]): void {
  const fork = { kind: 'fork' as const, to: [] as readonly number[] };
  program.push(fork);
  const starts: number[] = [];
  const ends = parts.map((part) => {
    starts.push(program.length);
    emit(part, program);
    const end = { kind: 'fork' as const, to: [] as readonly number[] };
    program.push(end);
    return end;
  });
  fork.to = starts;
  for (const end of ends) end.to = [program.length];
}

function emitLoop(part: PatternNode, program: Instruction[]): void {
  const fork = { kind: 'fork' as const, to: [] as readonly number[] };
  const start = program.length;
  program.push(fork);
  emit(part, program);
  program.push({ kind: 'fork', to: [start] });
  fork.to = [start + 1, program.length];
}

function run(program: readonly Instruction[], text: readonly string[]): boolean {
  let states = closure(program, [0], 0, text.length);
  for (const [index, character] of text.entries()) {
    const next: number[] = [];
    for (const state of states) {
      const instruction = program[state];
      if (instruction?.kind === 'character' && instruction.test(character)) next.push(state + 1);
    }
    if (next.length === 0) return false;
    states = closure(program, next, index + 1, text.length);
  }
  return states.has(program.length);
}

/** The states that can be reached from `from` without consuming a character. */
function closure(
  program: readonly Instruction[],
  from: readonly number[],
  at: number,
  length: number,
): ReadonlySet<number> {
  const reached = new Set<number>();
  const open = [...from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (reached.has(state)) continue;
    reached.add(state);
    const instruction = program[state];
    if (instruction?.kind === 'fork') open.push(...instruction.to);
    else if (
      (instruction?.kind === 'start' && at === 0) ||
      (instruction?.kind === 'end' && at === length)
    )
      open.push(state + 1);
  }
  return reached;
}
