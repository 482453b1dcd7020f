import { describe, expect, test } from 'vitest';
import { PersonalEnv, problemOfVariable } from '../../contract/variables.ts';
import type { DeliveredSecret } from './deliver.ts';
import { secretsForServer } from './for-server.ts';

/** Variable names by their effect. */
const kinds = {
  'leads requests elsewhere': [
    ...[
      'API_URL',
      'API_HOST',
      'API_BASE',
      'API_ENDPOINT',
      'GITHUB_HOST',
      'GH_HOST',
      'OPENAI_BASE_URL',
      'PGHOST',
    ],
    ...[
      'DATABASE_URL',
      'REDIS_URL',
      'AWS_ENDPOINT_URL',
      'KUBECONFIG',
      'SENTRY_DSN',
      'HOSTALIASES',
      'RES_OPTIONS',
    ],
    ...[
      'SLACK_API_URL',
      'GITLAB_API_URL',
      'JIRA_URL',
      'WEBHOOK_URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'AZURE_HOST',
    ],
  ],
  'trusts others': [
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'AWS_CA_BUNDLE',
    'CLOUDSDK_CORE_PROXY',
    'GRPC_PROXY',
  ],
  'runs code': [
    ...[
      'MAVEN_OPTS',
      'GRADLE_OPTS',
      'ELECTRON_RUN_AS_NODE',
      'DENO_DIR',
      'BUN_OPTIONS',
      'TS_NODE_PROJECT',
      'ZDOTDIR',
    ],
    ...[
      'GEM_HOME',
      'GOFLAGS',
      'RUSTC_WRAPPER',
      'LESSOPEN',
      'MANPAGER',
      'FPATH',
      'NODE_V8_COVERAGE',
      'JULIA_LOAD_PATH',
    ],
  ],
  'is a credential': ['API_TOKEN', 'GITHUB_TOKEN', 'LDAP_PASSWORD'],
};
const names = Object.values(kinds).flat();
/** Refused even if declared. */
const steering = [
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'PATH',
    'HOME',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
  ],
  ...[
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'NPM_CONFIG_REGISTRY',
    'HTTPS_PROXY',
    'ENV',
  ],
  ...[
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'SSL_CERT_FILE',
    'DOCKER_HOST',
    'PIP_INDEX_URL',
    'UV_INDEX_URL',
  ],
];

const bound = { hosts: ['api.example.com'], header: 'X-Key', template: 'Bearer {}' };
type Receiver = Parameters<typeof secretsForServer>[0];
const stdio = (personalEnv?: string[]): Receiver => ({
  transportType: 'stdio',
  url: null,
  settings: { headerNames: [], envNames: [], hasClientSecret: false, ...(personalEnv && { personalEnv }) },
});
const http = (url = 'https://api.example.com/mcp'): Receiver => ({ ...stdio(), transportType: 'http', url });
const secret = (name: string, personal: boolean, broker?: DeliveredSecret['broker']): DeliveredSecret => ({
  name,
  value: personal ? 'mine' : 'shared',
  personal,
  ...(broker && { broker }),
});

describe.each(Object.entries(kinds))('a variable that %s', (_kind, list) => {
  test.each(list)('%s is filled by a personal secret only where the server declares it', (name) => {
    const own = [secret(name, true)];
    expect(secretsForServer(stdio(), own)).toEqual({ headers: {}, env: {}, withheld: [name] });
    expect(secretsForServer(stdio(['ANOTHER', `${name}_2`]), own)).toMatchObject({
      env: {},
      withheld: [name],
    });
    expect(secretsForServer(stdio([name]), own)).toEqual({
      headers: {},
      env: { [name]: 'mine' },
      withheld: [],
    });
    // A server at a URL has no variables, whatever was declared.
    expect(secretsForServer(http(), own)).toEqual({ headers: {}, env: {}, withheld: [] });
  });
});

test('a shared secret fills any variable, and stays where a personal one of its name is not taken', () => {
  for (const name of names) {
    const both = [secret(name, true), secret(name, false)];
    expect(secretsForServer(stdio(), both)).toMatchObject({ env: { [name]: 'shared' }, withheld: [name] });
    expect(secretsForServer(stdio([name]), both)).toMatchObject({ env: { [name]: 'mine' }, withheld: [] });
  }
});

test.each(steering)('%s can be neither declared nor filled', (name) => {
  expect(problemOfVariable(name)).toContain(name);
  expect(PersonalEnv.safeParse([name]).success).toBe(false);
  expect(() => secretsForServer(stdio(), [secret(name, false)])).toThrow(name);
  expect(() => secretsForServer(stdio([name]), [secret(name, true)])).toThrow(name);
  expect(secretsForServer(stdio(), [secret(name, true)])).toMatchObject({ env: {} });
});

test('a brokered secret is a header at its hosts, and never a variable', () => {
  for (const personal of [true, false]) {
    const one = [secret('API_TOKEN', personal, bound)];
    expect(secretsForServer(stdio(['API_TOKEN']), one)).toEqual({ headers: {}, env: {}, withheld: [] });
    expect(secretsForServer(http('https://elsewhere.example.com'), one)).toMatchObject({ headers: {} });
    expect(secretsForServer(http(), one)).toMatchObject({
      headers: { 'X-Key': personal ? 'Bearer mine' : 'Bearer shared' },
    });
  }
  const both = [secret('A', true, { ...bound, header: 'x-key' }), secret('A', false, bound)];
  expect(secretsForServer(http(), both).headers).toEqual({ 'x-key': 'Bearer mine' });
});
