import { nearest } from '#core';
import { checkContextSources } from './context-sources.ts';
import { parseDockerfile, wordsOf, type Instruction } from './dockerfile-instructions.ts';

/** Something in a rendered Dockerfile that would let in what no lock names, or that the engine does not know. */
export interface DockerfileFinding {
  /** 1-based line of the rendered text. */
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

const KEYWORDS = 'ADD ARG CMD COPY ENV EXPOSE FROM LABEL RUN STOPSIGNAL USER WORKDIR'.split(' ');
/** Instructions that are left out on purpose, and what stands for them. */
const REFUSED: Readonly<Record<string, string>> = {
  ENTRYPOINT: 'any other command can be given in place of CMD then: write CMD ["program", "argument"]',
  HEALTHCHECK: 'Kubernetes does not read it: probes stand in app.yaml',
  MAINTAINER: 'who keeps an image stands in image.yaml, under labels',
  ONBUILD: 'it would write into other images: put it into a macro in _shared/',
  SHELL: 'every step is read by /bin/sh: RUN bash -c "…" for another shell',
  VOLUME: 'what a service writes to is a volume that app.yaml mounts',
};
const LABEL_VALUE = /=(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])*/g;
/** Labels that the tool writes of the definition and the lock. */
const OWN_LABELS = /^org\.opencontainers\.image\./;
const DIRECTIVE = /^#\s*(syntax|escape|check)\s*=/i;
const HEREDOC = /(?:^|\s)\d*<<-?(?:\s*["']?[A-Za-z_]|[^<\s])/;
const ARGUMENT = /^([A-Za-z_]\w*)(=(?:"[^"\\]*"|'[^'\\]*'|[^\s"'\\]*))?$/;
const STAGE = /^(\S+)(?:\s+AS\s+([a-z][a-z0-9_.-]*))?$/i;
const MOUNT_TYPES = ['bind', 'tmpfs'];
const MOUNT_OPTION = /^([a-z]+)=([^"'\\]*)$/;
const MOUNT_KEYS = ['type', 'from', 'source', 'target', 'size'];

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
      const hint = REFUSED[instruction.keyword] ?? (close === undefined ? undefined : `did you mean ${close}?`);
      report(instruction, `${instruction.keyword} is not an instruction that is allowed here`, hint);
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
    if (!check.instruction.flags.some((flag) => flag.startsWith('--from='))) checkContextSources(check.instruction, check.report);
  },

  ADD(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) if (!flag.startsWith('--chown=')) check.report(`ADD ${flag} is not allowed`);
    checkContextSources(check.instruction, check.report);
  },

  CMD({ instruction, report }) {
    if (!instruction.rest.startsWith('[') || wordsOf(instruction.rest) === undefined)
      report(`CMD ${instruction.rest} is not a list`, 'a shell in front of it would keep signals from the service: CMD ["program", "argument"]');
  },

  LABEL({ instruction, report }) {
    for (const name of labelNames(instruction.rest)) {
      if (name.includes('$')) report(`LABEL ${name} has a variable in its name`, 'write the name out');
      if (OWN_LABELS.test(name)) report(`LABEL ${name} is written by the tool`, 'its value stands in image.yaml, or comes of the lock');
    }
  },
};

/** The names of `name=value …`, or of the older `name value`, as an engine reads them. */
function labelNames(rest: string): string[] {
  const names = /^\S*=/.test(rest) ? rest.replaceAll(LABEL_VALUE, '').split(/\s+/) : rest.split(/\s+/, 1);
  return names.map((name) => name.replaceAll(/["'\\]/g, ''));
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
