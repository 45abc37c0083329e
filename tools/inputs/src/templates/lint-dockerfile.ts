import { posix } from 'node:path';
import { nearest } from '#core';
import { parseDockerfile, wordsOf, type Instruction } from './dockerfile-instructions.ts';

/** Something in a rendered Dockerfile that would let in what no lock names, or that the engine does not know. */
export interface DockerfileFinding {
  /** 1-based line of the rendered text. */
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

const KEYWORDS = 'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(' ');
const DIRECTIVE = /^#\s*(syntax|escape|check)\s*=/i;
const HEREDOC = /(?:^|\s)\d*<<-?(?:\s*["']?[A-Za-z_]|[^<\s])/;
const ARGUMENT = /^([A-Za-z_]\w*)(=(?:"[^"\\]*"|'[^'\\]*'|[^\s"'\\]*))?$/;
const STAGE = /^(\S+)(?:\s+AS\s+([a-z][a-z0-9_.-]*))?$/i;
const MOUNT_TYPES = ['bind', 'tmpfs'];
const MOUNT_OPTION = /^([a-z]+)=([^"'\\]*)$/;
const MOUNT_KEYS = ['type', 'from', 'source', 'target', 'size'];
/** The one input that is no file to install from, but what the first layer is made of. */
const SEED = '.inputs/seed.tar';
const LOCAL = /^(?:files|\.inputs)(?:\/[A-Za-z0-9._*?+~-]+)*\/?$/;

/**
 * Checks rendered text against what a hermetic build allows: stages from `scratch`, an earlier stage or a parent's build
 * argument (`parentArgs`); files from the context, but inputs, or an earlier stage; no frontend, heredoc, remote ADD, network, secret or
 * cache mount. Engine 20.10 knows none of the newer syntax, and a cache mount is an input that no fingerprint sees.
 */
export function lintDockerfile(text: string, parentArgs: readonly string[]): DockerfileFinding[] {
  const findings: DockerfileFinding[] = [];
  const { comments, instructions, doubtful } = parseDockerfile(text);
  for (const { line } of doubtful) {
    findings.push({
      line,
      message: 'the line holds a control or special space character, or ends in two backslashes',
      hint: 'engines do not agree on where such a line ends: write it by "\\n" of printf, or put the text into files/',
    });
  }
  for (const comment of comments) {
    const directive = DIRECTIVE.exec(comment.text);
    if (directive !== null) {
      findings.push({
        line: comment.line,
        message: `"# ${directive[1]?.toLowerCase()}=" is not allowed`,
        hint: 'the engine would fetch a frontend, or read the file by other rules: leave the line out',
      });
    }
  }
  const stages: string[] = [];
  const declared = new Set<string>();
  const report = (instruction: Instruction, message: string, hint?: string): void => {
    findings.push({ line: instruction.line, message, ...(hint === undefined ? {} : { hint }) });
  };
  for (const instruction of instructions) {
    const quoted = instruction.flags.find((flag) => /["'\\]/.test(flag));
    if (quoted !== undefined) report(instruction, `${instruction.keyword} ${quoted} holds a quote or a backslash`, 'write options plainly: --name=value');
    if (!KEYWORDS.includes(instruction.keyword)) {
      const close = nearest(instruction.keyword, KEYWORDS);
      report(instruction, `${instruction.keyword} is not an instruction that is allowed here`, close === undefined ? undefined : `did you mean ${close}?`);
    } else CHECKS[instruction.keyword]?.({ instruction, stages, declared, parentArgs, report: (message, hint) => report(instruction, message, hint) });
  }
  if (stages.length === 0)
    findings.push({ line: 1, message: 'there is no FROM', hint: 'start with "FROM scratch" or a parent: ARG and FROM {{ parents.base }}' });
  return findings;
}

interface Check {
  readonly instruction: Instruction;
  readonly stages: string[];
  /** Arguments declared before the first FROM. */
  readonly declared: Set<string>;
  readonly parentArgs: readonly string[];
  readonly report: (message: string, hint?: string) => void;
}

const CHECKS: Readonly<Record<string, (check: Check) => void>> = {
  ARG({ instruction, stages, declared, parentArgs, report }) {
    const [, name, value] = ARGUMENT.exec(instruction.rest) ?? [];
    if (name === undefined) report(`ARG ${instruction.rest} is not one plain argument`, 'write ARG NAME or ARG NAME=value, each on its own line');
    else if (value !== undefined && parentArgs.includes(name)) report(`ARG ${name} has a value`, 'a parent is named by the build alone: leave the value out');
    else if (stages.length === 0) declared.add(name);
  },

  FROM({ instruction, stages, declared, parentArgs, report }) {
    for (const flag of instruction.flags) report(`FROM ${flag} is not allowed`, 'the platform is a setting of the run');
    const [, base = '', name] = STAGE.exec(instruction.rest) ?? [];
    const argument = /^\$(?:\{(\w+)\}|(\w+))$/.exec(base);
    const parent = argument?.[1] ?? argument?.[2];
    const allowed = ['scratch', ...stages.filter((stage) => stage !== ''), ...parentArgs.map((name) => `\${${name}}`)];
    if (parent !== undefined && parentArgs.includes(parent)) {
      if (!declared.has(parent)) report(`FROM ${base} needs "ARG ${parent}" before the first FROM`);
    } else if (base !== 'scratch' && !stages.includes(base.toLowerCase())) {
      report(`FROM ${base || instruction.rest} is neither scratch, an earlier stage nor a parent`, `allowed here: ${allowed.join(', ')}`);
    }
    stages.push(name?.toLowerCase() ?? '');
  },

  RUN(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) {
      if (!flag.startsWith('--mount=')) {
        check.report(`RUN ${flag} is not allowed`, 'the engine decides about network and rights: --mount is the only option');
        continue;
      }
      checkMount(check, flag.slice('--mount='.length).split(','));
    }
  },

  COPY(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) {
      const [name, value] = splitAt(flag, '=');
      if (name === '--from' && /^\d+$/.test(value) && Number(value) < check.stages.length - 1) continue;
      if (name === '--from') requireStage(check, value, 'COPY --from');
      else if (name !== '--chown') check.report(`COPY ${name} is not allowed`, 'COPY knows --from and --chown');
    }
    if (!check.instruction.flags.some((flag) => flag.startsWith('--from='))) refuseInputs(check, wordsOf(check.instruction.rest).slice(0, -1));
  },

  ADD(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) if (!flag.startsWith('--chown=')) check.report(`ADD ${flag} is not allowed`);
    const sources = check.instruction.rest
      .split(/[\s,"[\]]+/)
      .filter((word) => word !== '')
      .slice(0, -1);
    for (const source of sources) {
      if (!LOCAL.test(source) || source.endsWith('.git')) check.report(`ADD ${source} could be remote`, `name a file of the context: files/… or ${SEED}`);
    }
    refuseInputs(
      check,
      sources.filter((source) => LOCAL.test(source) && source !== SEED),
    );
  },
};

/** Refuses sources that are or may be locked inputs: they would stay in a layer. */
function refuseInputs({ instruction, report }: Check, sources: readonly string[]): void {
  for (const source of sources) {
    const [first = ''] = posix.normalize(source.replace(/^\/+/, '')).split('/');
    if (first !== '.inputs' && !/^\.{0,2}$|[*?[$\\]/.test(first)) continue;
    report(
      `${instruction.keyword} ${source} would leave locked inputs in a layer`,
      'name what is below files/; inputs are mounted: RUN --mount=type=bind,source=.inputs/…,target=/run/…',
    );
  }
}

function refuseHeredoc({ instruction, report }: Check): void {
  if (HEREDOC.test(instruction.rest))
    report(`a heredoc in ${instruction.keyword} is not allowed`, 'the engine does not know it: put the text into files/, or write it by printf');
}

/** Options of one mount; a number is no stage here, the engine would take it for an image's name. */
function checkMount(check: Check, options: readonly string[]): void {
  const pairs = options.map((option) => (MOUNT_OPTION.exec(option) ?? []).slice(1));
  const keys = pairs.map(([key = '']) => key);
  const known = new Map(pairs.map(([key = '', value = '']) => [key, value]));
  const type = known.get('type') ?? 'bind';
  if (!MOUNT_TYPES.includes(type))
    check.report(`a ${type} mount is not allowed`, 'mounts are bind (of the context or a stage) and tmpfs: others are inputs that no fingerprint sees');
  options.forEach((option, index) => {
    const key = keys[index] ?? '';
    if (!MOUNT_KEYS.includes(key) || keys.indexOf(key) < index)
      check.report(`the mount option ${option} is not allowed`, `once each, without quotes: ${MOUNT_KEYS.join(', ')}`);
  });
  const from = known.get('from');
  if (from !== undefined) requireStage(check, from, 'a mount from');
}

function requireStage({ stages, report }: Check, stage: string, what: string): void {
  if (stage !== '' && stages.includes(stage.toLowerCase())) return;
  const named = stages.filter((name) => name !== '');
  report(`${what} ${stage} does not name an earlier stage`, `the engine would pull an image of that name; stages are ${named.join(', ') || 'not named yet'}`);
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
