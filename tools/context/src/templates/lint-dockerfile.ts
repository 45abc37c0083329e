import { nearest, omitUndefined } from '#core';
import { checkContextSources } from './context-sources.ts';
import { parseDockerfile, wordsOf, type Instruction } from './dockerfile-instructions.ts';

/**
 * A violation in a rendered Dockerfile: it would add unlocked content, or an engine does not
 * support it.
 */
export interface DockerfileFinding {
  /** 1-based line of the rendered text. */
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

const KEYWORDS = 'ADD ARG CMD COPY ENV EXPOSE FROM LABEL RUN STOPSIGNAL USER WORKDIR'.split(' ');
/** Refused instructions and their replacements. */
const REFUSED: Readonly<Record<string, string>> = {
  ENTRYPOINT: 'write CMD ["program", "argument"], which app.yaml can override',
  HEALTHCHECK: 'Kubernetes ignores it: define probes in app.yaml',
  MAINTAINER: 'set the maintainer in image.yaml, under labels',
  ONBUILD:
    'it would add steps to the images built on this one, which their definitions do not show: put the steps into a macro in _shared/',
  SHELL: 'every step uses /bin/sh: write RUN bash -c "…" for another shell',
  VOLUME: 'mount volumes in app.yaml',
};
const LABEL_VALUE = /=(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])*/g;
/** Longest Dockerfile, in characters. */
const MAX_LENGTH = 1024 * 1024;
/** Engines have lower limits: an image has at most 127 layers. */
const MAX_INSTRUCTIONS = 1_000;
/** Maximum number of findings; locating each one searches all templates. */
const MAX_FINDINGS = 50;
/** Labels that ccp sets from the definition and the lock. */
const OWN_LABELS = /^org\.opencontainers\.image\./;
const DIRECTIVE = /^#\s*(syntax|escape|check)\s*=/i;
const HEREDOC = /(?:^|\s)\d*<<-?(?:\s*["']?[A-Za-z_]|[^<\s])/;
const ARGUMENT = /^([A-Za-z_]\w*)(=(?:"[^"\\]*"|'[^'\\]*'|[^\s"'\\]*))?$/;
const STAGE = /^(\S+)(?:\s+AS\s+([a-z][a-z0-9_.-]*))?$/i;
const MOUNT_TYPES = ['bind', 'tmpfs'];
const MOUNT_OPTION = /^([a-z]+)=([^"'\\]*)$/;
const MOUNT_KEYS = ['type', 'from', 'source', 'target', 'size'];

/**
 * Checks a rendered Dockerfile against the rules of a hermetic build. Stages start from `scratch`,
 * an earlier stage or a parent's build argument (`parentArgs`). Files come from the context, except
 * inputs, or from an earlier stage. Frontends, heredocs, remote ADD, and network, secret and cache
 * mounts are refused: engine 20.10 does not support the newer syntax, and a cache mount is an input
 * outside the fingerprint.
 */
export function lintDockerfile(text: string, parentArgs: readonly string[]): DockerfileFinding[] {
  if (text.length > MAX_LENGTH)
    return [
      {
        line: 1,
        message: `the Dockerfile has ${text.length} characters; ${MAX_LENGTH} are allowed`,
        hint: 'put long texts into files/',
      },
    ];
  const findings: DockerfileFinding[] = [];
  const { comments, instructions, doubtful } = parseDockerfile(text);
  const excess = instructions[MAX_INSTRUCTIONS];
  if (excess !== undefined)
    return [
      {
        line: excess.line,
        message: `the Dockerfile has ${instructions.length} instructions; ${MAX_INSTRUCTIONS} are allowed`,
        hint: 'join steps: RUN a && b',
      },
    ];
  for (const { line } of doubtful.slice(0, MAX_FINDINGS)) {
    findings.push({
      line,
      message:
        'the line contains a control character or a special space, or ends in two backslashes',
      hint: 'some engines end the line there and others continue it: write such text with printf and escapes like "\\n", or put it into files/',
    });
  }
  for (const comment of comments) {
    const directive = DIRECTIVE.exec(comment.text);
    if (directive !== null) {
      findings.push({
        line: comment.line,
        message: `"# ${directive[1]?.toLowerCase()}=" is not allowed`,
        hint: 'remove the line: the engine would fetch a frontend or parse the file differently',
      });
    }
  }
  const stages: string[] = [];
  const declared = new Set<string>();
  const report = (instruction: Instruction, message: string, hint?: string): void => {
    findings.push({ line: instruction.line, message, ...omitUndefined({ hint }) });
  };
  for (const instruction of instructions) {
    if (findings.length >= MAX_FINDINGS) break;
    const quoted = instruction.flags.find((flag) => /["'\\]/.test(flag));
    if (quoted !== undefined)
      report(
        instruction,
        `${instruction.keyword} ${quoted} contains a quote or a backslash`,
        'write options without quotes: --name=value',
      );
    if (!KEYWORDS.includes(instruction.keyword)) {
      const close = nearest(instruction.keyword, KEYWORDS);
      const hint =
        REFUSED[instruction.keyword] ??
        (close === undefined ? undefined : `did you mean ${close}?`);
      report(instruction, `${instruction.keyword} is not allowed`, hint);
    } else
      CHECKS[instruction.keyword]?.({
        instruction,
        stages,
        declared,
        parentArgs,
        report: (message, hint) => report(instruction, message, hint),
      });
  }
  if (stages.length === 0)
    findings.push({
      line: 1,
      message: 'FROM is missing',
      hint: 'start with "FROM scratch" or a parent: ARG and FROM {{ parents.base }}',
    });
  return findings.slice(0, MAX_FINDINGS);
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
    if (name === undefined)
      report(
        `ARG ${instruction.rest} does not declare a single plain argument`,
        'write ARG NAME or ARG NAME=value, each on its own line',
      );
    else if (value !== undefined && parentArgs.includes(name))
      report(
        `ARG ${name} has a value`,
        'remove the value: the build sets the reference of a parent',
      );
    else if (stages.length === 0) declared.add(name);
  },

  FROM({ instruction, stages, declared, parentArgs, report }) {
    for (const flag of instruction.flags)
      report(`FROM ${flag} is not allowed`, 'remove the option: the build selects the platform');
    const [, base = '', name] = STAGE.exec(instruction.rest) ?? [];
    const argument = /^\$(?:\{(\w+)\}|(\w+))$/.exec(base);
    const parent = argument?.[1] ?? argument?.[2];
    const allowed = [
      'scratch',
      ...stages.filter((stage) => stage !== ''),
      ...parentArgs.map((name) => `\${${name}}`),
    ];
    if (parent !== undefined && parentArgs.includes(parent)) {
      if (!declared.has(parent)) report(`FROM ${base} needs "ARG ${parent}" before the first FROM`);
    } else if (base !== 'scratch' && !stages.includes(base.toLowerCase())) {
      report(
        `FROM ${base || instruction.rest} is neither scratch, an earlier stage nor a parent`,
        `allowed here: ${allowed.join(', ')}`,
      );
    }
    stages.push(name?.toLowerCase() ?? '');
  },

  RUN(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) {
      if (!flag.startsWith('--mount=')) {
        check.report(
          `RUN ${flag} is not allowed`,
          'only --mount is allowed: the build controls network and rights',
        );
        continue;
      }
      checkMount(check, flag.slice('--mount='.length).split(','));
    }
  },

  COPY(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags) {
      const [name, value] = splitAt(flag, '=');
      if (name === '--from' && /^\d+$/.test(value) && Number(value) < check.stages.length - 1)
        continue;
      if (name === '--from') requireStage(check, value, 'COPY --from');
      else if (name !== '--chown')
        check.report(`COPY ${name} is not allowed`, 'COPY allows only --from and --chown');
    }
    if (!check.instruction.flags.some((flag) => flag.startsWith('--from=')))
      checkContextSources(check.instruction, check.report);
  },

  ADD(check) {
    refuseHeredoc(check);
    for (const flag of check.instruction.flags)
      if (!flag.startsWith('--chown=')) check.report(`ADD ${flag} is not allowed`);
    checkContextSources(check.instruction, check.report);
  },

  CMD({ instruction, report }) {
    if (!instruction.rest.startsWith('[') || wordsOf(instruction.rest) === undefined)
      report(
        `CMD ${instruction.rest} is not a list`,
        'write CMD ["program", "argument"]: a shell would not forward signals to the service',
      );
  },

  LABEL({ instruction, report }) {
    for (const name of labelNames(instruction.rest)) {
      if (name.includes('$'))
        report(`LABEL ${name} has a variable in its name`, 'write the name without variables');
      if (OWN_LABELS.test(name))
        report(
          `LABEL ${name} is set by ccp`,
          'remove it: the value comes from image.yaml or the lock',
        );
    }
  },
};

/** The names in `name=value …`, or in the older form `name value`. */
function labelNames(rest: string): string[] {
  const names = /^\S*=/.test(rest)
    ? rest.replaceAll(LABEL_VALUE, '').split(/\s+/)
    : rest.split(/\s+/, 1);
  return names.map((name) => name.replaceAll(/["'\\]/g, ''));
}

function refuseHeredoc({ instruction, report }: Check): void {
  if (HEREDOC.test(instruction.rest))
    report(
      `a heredoc in ${instruction.keyword} is not allowed`,
      'engine 20.10 does not support it: put the text into files/, or use printf',
    );
}

/**
 * Checks the options of a mount. Stage numbers are refused: the engine would read them as image
 * names.
 */
function checkMount(check: Check, options: readonly string[]): void {
  const pairs = options.map((option) => (MOUNT_OPTION.exec(option) ?? []).slice(1));
  const keys = pairs.map(([key = '']) => key);
  const known = new Map(pairs.map(([key = '', value = '']) => [key, value]));
  const type = known.get('type') ?? 'bind';
  if (!MOUNT_TYPES.includes(type))
    check.report(
      `a ${type} mount is not allowed`,
      'use bind (from the context or a stage) or tmpfs: the fingerprint does not include other mounts',
    );
  options.forEach((option, index) => {
    const key = keys[index] ?? '';
    if (!MOUNT_KEYS.includes(key) || keys.indexOf(key) < index)
      check.report(
        `the mount option ${option} is not allowed`,
        `allowed once each, without quotes: ${MOUNT_KEYS.join(', ')}`,
      );
  });
  const from = known.get('from');
  if (from !== undefined) requireStage(check, from, 'a mount from');
}

function requireStage({ stages, report }: Check, stage: string, what: string): void {
  if (stage !== '' && stages.includes(stage.toLowerCase())) return;
  const named = stages.filter((name) => name !== '');
  report(
    `${what} ${stage} does not name an earlier stage`,
    `the engine would pull an image with that name; known stages: ${named.join(', ') || 'none'}`,
  );
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
