/** Variables that a build needs: the user, the engine, mirrors, certificates and proxies. */
const NEEDED = new Set(
  (
    'PATH HOME USER LOGNAME SHELL TMPDIR TZ LANG LANGUAGE TERM NO_COLOR FORCE_COLOR CI ' +
    'XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR ' +
    'DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH ' +
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy ' +
    'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO ' +
    'GOPROXY PIP_CONFIG_FILE PIP_INDEX_URL PIP_EXTRA_INDEX_URL ' +
    'UV_CONFIG_FILE UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX ' +
    'npm_config_registry npm_config_userconfig NPM_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG GIT_SSH_COMMAND'
  ).split(' '),
);
const PREFIXES = ['CCP_', 'LC_'];

/**
 * The part of an environment for the tool of another commit. Tokens, passwords, agents, the login
 * files of registries and options that load code into Node are left out.
 */
export function rebuildEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => NEEDED.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix)),
    ),
  );
}
