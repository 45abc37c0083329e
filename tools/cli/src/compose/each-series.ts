import { CcpError, counted, errorText, type ImageName, type Json } from '#core';
import type { CommandContext, Run } from '../command.ts';
import { chosenSeries } from './chosen-series.ts';
import { openProject } from './plan.ts';
import { EXIT, exitCodeOf } from '../report/exit-codes.ts';
import { errorJson, type Output } from '../report/output.ts';

/**
 * Runs a command for each series of `--series`. Named images that a series does not have are passed
 * over there, unless no series has them. A series that fails does not stop the others; the exit
 * code is that of the first one that failed. With `--json`, `series` lists the results.
 */
export async function runEachSeries<F extends object>(
  run: Run<F>,
  context: CommandContext,
  names: readonly string[],
  flags: F,
): Promise<number> {
  const { root, output } = context;
  const single = singleOption(flags);
  if (single !== undefined)
    throw new CcpError({
      code: 'usage',
      message: `${single} works with one series only`,
      hint: 'name one series with --series',
    });
  const members = seriesMembers(context, names);
  const results: Json[] = [];
  const codes: number[] = [];
  for (const { series, images } of members) {
    const asked = { ...context, root, flags: { ...context.flags, series } };
    let result: Json = {};
    const collecting: Output = {
      ...output,
      result: (text, value, style) => {
        result = value as Json;
        if (!output.json) output.result(withHeading(series, text), value, style);
      },
    };
    try {
      codes.push(await run({ ...asked, output: collecting }, images, flags));
    } catch (thrown) {
      if (!(thrown instanceof CcpError)) throw thrown;
      output.warn(`series ${series}:\n${errorText(thrown, output.verbose).trimEnd()}`);
      result = errorJson(thrown);
      codes.push(exitCodeOf(thrown));
    }
    results.push({ name: series, result });
    if (codes.at(-1) === EXIT.cancelled) break;
  }
  if (output.json) output.result('', { series: results });
  return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}

/** The text below the name of its series, unless its first line has the name already. */
function withHeading(series: string, text: string): string {
  return text.startsWith(`series ${series},`) ? text : `series ${series}:\n${text}`;
}

/** An option for the output of one series: a file, or a format that programs read. */
function singleOption(flags: { readonly output?: string; readonly format?: string }) {
  if (flags.output !== undefined) return '--output';
  const { format = 'tree' } = flags;
  return format === 'tree' ? undefined : `--format ${format}`;
}

/** The series to run, with the named images that each has. */
function seriesMembers(
  { root, output, flags }: CommandContext,
  names: readonly string[],
): readonly { readonly series: string; readonly images: readonly string[] }[] {
  const project = openProject(root, undefined);
  const all = chosenSeries(flags.series, project).map((series) => {
    const { absent } = openProject(root, series, project.memo).graph;
    return { series, images: names.filter((name) => !absent.has(name as ImageName)) };
  });
  const used = all.filter(({ images }) => names.length === 0 || images.length > 0);
  // No series has the images: the command itself reports why.
  if (used.length === 0) return all.slice(0, 1).map((each) => ({ ...each, images: names }));
  for (const { series, images } of all) {
    const missing = names.filter((name) => !images.includes(name));
    if (missing.length > 0)
      output.info(
        `series ${series} does not have ${missing.join(', ')}: ${counted(missing.length, 'image')} passed over`,
      );
  }
  return used;
}
