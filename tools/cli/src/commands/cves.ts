import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { CveFlags } from '../compose/cves/scan.ts';
import type { ScanFlags } from '../compose/cves/images-to-scan.ts';
import { CLUSTER, collect, CVE_DATA, FROM, SET, TRUST } from '../options.ts';
import { EXIT } from '../report/exit-codes.ts';

export interface CvesFlags extends CveFlags, ScanFlags {
  readonly site?: readonly string[];
  readonly all?: boolean;
}

/** `ccp cves [SET|SITE]`: known vulnerabilities of the packages in images. */
export const cves: CommandDefinition<CvesFlags> = {
  usage: 'cves [set]',
  description:
    'list known vulnerabilities of the images of a set file, a bundle, a published set or a site (default: the last build); a policy decides the exit code',
  options: [
    ...CVE_DATA,
    FROM,
    TRUST,
    SET,
    new Option(
      '--site <name>',
      'also list the vulnerable images that this site runs; repeatable',
    ).argParser(collect),
    new Option('--all', 'also list vulnerabilities that do not affect the images'),
    ...CLUSTER,
  ],
  examples: [
    'ccp cves --debian tracker.json --osv osv/ --policy cve-policy.yaml',
    'ccp cves 2026.1.0 --from registry.example.org/ccp --debian tracker.json --osv PyPI.zip --osv Go.zip',
    'ccp cves east --debian tracker.json --osv osv/',
  ],
  run: async (context, [operand], flags) => {
    const { imagesToScan } = await import('../compose/cves/images-to-scan.ts');
    const { readCveData } = await import('../compose/cves/cve-data.ts');
    const { answerOf, readDecisions, scanImages } = await import('../compose/cves/scan.ts');
    const { runningImages } = await import('../compose/cves/running-images.ts');
    const { cveText } = await import('../report/cve-text.ts');
    const decisions = readDecisions(flags);
    const scanned = await imagesToScan(context, operand, flags);
    const today = new Date().toISOString().slice(0, 10);
    const scan = scanImages(scanned, readCveData(flags, scanned.images), decisions, today);
    const sites = scanned.site === undefined ? [] : [scanned.site];
    for (const name of flags.site ?? []) sites.push(await runningImages(context, name, flags));
    const answer = answerOf(scanned, scan, decisions.policy, sites, flags.all === true);
    context.output.result(cveText(answer), answer);
    return answer.policy.failed.length === 0 ? EXIT.done : EXIT.failed;
  },
};
