import { relative } from 'node:path';
import { decodeText, type Position } from '#core';
import type { ImageDefinition } from '#definitions';
import { readBounded } from '#host';
import { parseDockerfile, type Instruction } from './dockerfile-instructions.ts';
import { locateLine } from './locate-line.ts';
import {
  MAX_TEMPLATE,
  sharedFolders,
  templatesIn,
  workspaceFolderOf,
  type TemplateFile,
} from './template-files.ts';

/** The template line that most likely produced the instruction with this index. */
export type LocateInstruction = (index: number) => Position | undefined;

/**
 * The template line that most likely produced a build step, by the engine's name for the step:
 * `[2/2] RUN make`. Lines of the image's own template are preferred over shared macros. Undefined
 * if no line matches or templates cannot be read.
 */
export function locateStep(
  definition: ImageDefinition,
  dockerfile: string,
  step: string,
): Position | undefined {
  const wanted = plain(step.replace(/^\[[^\]]*\]/, ''));
  const { instructions } = parseDockerfile(dockerfile);
  const index = instructions.findIndex(
    ({ keyword, flags, rest }) => plain([keyword, ...flags, rest].join(' ')) === wanted,
  );
  return index < 0 ? undefined : instructionLocator(definition, dockerfile, instructions)(index);
}

/** Like `locateStep`, for the instructions of a rendered Dockerfile. Reads each template once. */
export function instructionLocator(
  definition: ImageDefinition,
  dockerfile: string,
  instructions: readonly Instruction[],
): LocateInstruction {
  const lines = dockerfile.split('\n');
  const root = workspaceFolderOf(definition);
  const read = (folder: string): readonly TemplateFile[] =>
    readable(() => templatesIn(folder, definition)).flatMap((path) =>
      readable(() => {
        const file = relative(root, path);
        return [{ path, file, text: decodeText(readBounded(path, MAX_TEMPLATE, file), file) }];
      }),
    );
  const own = read(definition.folder);
  const lineNumbers = own.map(numberLines);
  let shared: readonly TemplateFile[] | undefined;
  return (index) => {
    const written = lines
      .slice(instructions[index]!.line - 1, (instructions[index + 1]?.line ?? Infinity) - 1)
      .filter((line) => line.trim() !== '');
    const equal = equalLine(written, own, lineNumbers) ?? locateLine(written[0]!, own);
    if (equal !== undefined) return equal;
    shared ??= sharedFolders(definition).flatMap(read);
    return locateLine(written[0]!, shared);
  };
}

/**
 * The result of `read`, or an empty list: a failure to locate a step must not hide the step's own
 * failure.
 */
function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Line -> number of the first such line. */
function numberLines({ text }: TemplateFile): ReadonlyMap<string, number> {
  const lines = text.split('\n').map((line, index): [string, number] => [line, index + 1]);
  return new Map(lines.toReversed());
}

function equalLine(
  written: readonly string[],
  templates: readonly TemplateFile[],
  lineNumbers: readonly ReadonlyMap<string, number>[],
): Position | undefined {
  for (const [index, { file }] of templates.entries()) {
    const line = written
      .map((each) => lineNumbers[index]!.get(each))
      .find((number) => number !== undefined);
    if (line !== undefined) return { file, line };
  }
  return undefined;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
