const words = (text: string): readonly string[] => text.split(' ');

/** Variables that reading a workspace needs, and proxies. */
const FOR_PLAN: readonly string[] = words(
  'PATH HOME TMPDIR CCP_CACHE HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy',
);
/** Variables that a build needs as well: the user, the engine, mirrors and certificates. */
const FOR_BUILD: readonly string[] = [
  ...FOR_PLAN,
  ...words('USER LOGNAME SHELL TZ LANG LANGUAGE TERM NO_COLOR FORCE_COLOR CI'),
  ...words('XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR'),
  ...words('DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH ALL_PROXY all_proxy'),
  ...words('SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'),
  ...words('GIT_SSL_CAINFO GIT_SSH_COMMAND GOPROXY'),
  ...words('PIP_CONFIG_FILE PIP_INDEX_URL PIP_EXTRA_INDEX_URL'),
  ...words('UV_CONFIG_FILE UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX'),
  ...words('npm_config_registry npm_config_userconfig NPM_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG'),
];

const NEEDED = {
  plan: { names: new Set(FOR_PLAN), prefixes: [] as readonly string[] },
  build: { names: new Set(FOR_BUILD), prefixes: ['CCP_', 'LC_'] },
};
/** Names of variables with URLs, which may have a login. */
const URLS = /proxy$|index|registry$/i;

/**
 * The part of an environment for the code of another commit, which plans or builds. Tokens,
 * passwords, agents, login files of registries, options that load code into Node, and URLs with a
 * login are left out.
 */
export function commitEnvironment(
  environment: NodeJS.ProcessEnv,
  purpose: keyof typeof NEEDED,
): NodeJS.ProcessEnv {
  const { names, prefixes } = NEEDED[purpose];
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) =>
        (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) &&
        !(URLS.test(name) && value?.includes('@')),
    ),
  );
}
