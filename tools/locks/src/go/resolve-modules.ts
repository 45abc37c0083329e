import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, GO_MAIN_MODULE, goModuleFiles, goProxyPath, sha256, type GoModuleFile } from '#core';
import type { GoDefinition } from '#definitions';
import type { GoFile, LockedGo } from '../types.ts';
import type { GoTool } from './go-tool.ts';

export interface ModulesRequest {
  readonly title: string;
  readonly definition: GoDefinition;
  readonly scratch: string;
  readonly keep?: LockedGo;
}

/** The oldest language with which Go reads only those go.mod files that it needs. */
const FIRST_LANGUAGE = '1.21';
const MODULE = '{{with .Module}}{{.Path}} {{.Version}}{{end}}';

/**
 * The modules that the packages of a definition are made of, in two passes: the first asks the proxies which versions that are,
 * the second sees only what the first downloaded, starts with nothing and reads the go.mod and go.sum of a build; the files it
 * opens are the lock's. Raises `go-unresolvable`.
 */
export async function resolveModules(tool: GoTool, { title, definition, scratch, keep }: ModulesRequest): Promise<LockedGo> {
  const { modules, packages, programs } = definition;
  const wanted = [...new Set([...packages, ...Object.values(programs).filter((path) => !path.startsWith('./'))])].sort();
  if (wanted.length === 0)
    throw new CcpError({ code: 'go-unresolvable', message: `${title} names Go modules, but no package of them`, hint: 'add go.programs, or go.packages' });
  const first = mkdtempSync(join(scratch, 'go-'));
  writeFileSync(join(first, 'go.mod'), `module ${GO_MAIN_MODULE}\n\ngo ${FIRST_LANGUAGE}\n`);
  await tool.run(['get', ...modules.map((module) => queryOf(module, keep?.requires ?? {}))], { folder: first });
  const used = lines(await tool.run(['list', '-mod=mod', '-deps', '-f', MODULE, ...wanted], { folder: first }));
  const required = lines(await tool.run(['list', '-mod=mod', '-m', '-f', '{{.Path}} {{.Version}}', ...modules.map(pathOf)], { folder: first }));
  const language = /^go (\S+)$/m.exec(readFileSync(join(first, 'go.mod'), 'utf8'))?.[1] ?? FIRST_LANGUAGE;
  const sums = readSums(readFileSync(join(first, 'go.sum'), 'utf8'));

  const second = mkdtempSync(join(scratch, 'go-'));
  const built = [...used].map((line): GoModuleFile => ({ ...named(line), kind: 'zip', sum: '' }));
  writeFileSync(join(second, 'go.mod'), goModuleFiles(language, built).mod);
  writeFileSync(join(second, 'go.sum'), goModuleFiles(language, sums).sum);
  const fresh = join(second, 'modules');
  const env = { GOMODCACHE: fresh, GOPROXY: `file://${tool.downloads}`, GOSUMDB: 'off' };
  await tool.run(['list', '-mod=readonly', '-deps', ...wanted], { folder: second, env });
  return {
    language,
    requires: Object.fromEntries([...required].map(named).map(({ name, version }) => [name, version])),
    files: sums.flatMap((file) => lockedFile(join(fresh, 'cache', 'download', goProxyPath(file)), file)),
  };
}

function pathOf(module: string): string {
  return module.slice(0, module.indexOf('@'));
}

/** What `go get` is asked for: the locked version where it is still one that the definition means. */
function queryOf(module: string, kept: Readonly<Record<string, string>>): string {
  const query = module.slice(module.indexOf('@') + 1);
  const version = kept[pathOf(module)];
  return version !== undefined && (query === 'latest' || version.startsWith(`${query}.`)) ? `${pathOf(module)}@${version}` : module;
}

function lines(text: string): Set<string> {
  return new Set(text.split('\n').filter((line) => line.includes(' ')));
}

function named(line: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = line.split(' ');
  return { name, version };
}

/** The lines of a go.sum. */
function readSums(text: string): GoModuleFile[] {
  return text.split('\n').flatMap((line): GoModuleFile[] => {
    const [name, version, sum] = line.split(' ');
    if (name === undefined || version === undefined || sum === undefined) return [];
    return [{ name, version: version.replace(/\/go\.mod$/, ''), kind: version.endsWith('/go.mod') ? 'mod' : 'zip', sum }];
  });
}

function lockedFile(path: string, file: GoModuleFile): GoFile[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  return [{ ...file, sha256: sha256(bytes), size: bytes.length }];
}
