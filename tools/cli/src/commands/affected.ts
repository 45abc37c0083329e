import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import { refuseFormatWithJson } from '../options.ts';

export interface AffectedFlags {
  readonly base?: string;
  readonly head?: string;
  readonly format?: 'text' | 'list';
}

/** `ccp affected`: the images whose fingerprint differs between two commits. */
export const affected: CommandDefinition<AffectedFlags> = {
  usage: 'affected',
  description: 'show the images whose fingerprint differs between two commits, and why',
  options: [
    new Option(
      '--base <ref>',
      'branch or commit to compare with, at the commit where the head left it (default: defaultBase of nx.json, else main)',
    ),
    new Option(
      '--head <ref>',
      'commit to check; fingerprints are computed by the code of that commit (default: the work tree, with new files)',
    ),
    new Option('--format <format>', 'text with the reasons, or a list of names separated by commas')
      .choices(['text', 'list'])
      .default('text'),
  ],
  examples: [
    'ccp affected',
    'ccp affected --base HEAD~1',
    'ccp affected --base origin/main --series all --json',
    'ccp nx run-many -t build -p "$(ccp affected --format list)"',
  ],
  series: 'all',
  run: async (context, _names, { format, ...refs }) => {
    if (format === 'list') refuseFormatWithJson(context.output, format);
    const { compareCommits } = await import('../compose/affected/compare-commits.ts');
    const { affectedList, affectedText } = await import('../report/affected-text.ts');
    const compared = await compareCommits(context, refs);
    context.output.result(
      format === 'list' ? affectedList(compared) : affectedText(compared),
      compared,
      format === 'list' ? 'verbatim' : undefined,
    );
    return 0;
  },
};
