import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { detectCi, launchHeaders } from './detect.ts';

const commitSha = 'f'.repeat(40);

test.each([
  ['github', { GITHUB_ACTIONS: 'true', GITHUB_SHA: commitSha, GITHUB_REF_NAME: 'main' }],
  ['gitlab', { GITLAB_CI: 'true', CI_COMMIT_SHA: commitSha, CI_COMMIT_REF_NAME: 'main' }],
  ['circleci', { CIRCLECI: 'true', CIRCLE_SHA1: commitSha, CIRCLE_BRANCH: 'main' }],
  ['buildkite', { BUILDKITE: 'true', BUILDKITE_COMMIT: commitSha, BUILDKITE_BRANCH: 'main' }],
  ['azure', { TF_BUILD: 'True', BUILD_SOURCEVERSION: commitSha, BUILD_SOURCEBRANCHNAME: 'main' }],
  ['bitbucket', { BITBUCKET_BUILD_NUMBER: '1', BITBUCKET_COMMIT: commitSha, BITBUCKET_BRANCH: 'main' }],
  ['jenkins', { JENKINS_URL: 'http://ci', GIT_COMMIT: commitSha, GIT_BRANCH: 'main' }],
])('%s says which commit of which branch it works on', (provider, env) => {
  expect(detectCi(env)).toMatchObject({ provider, commitSha, branch: 'main' });
});

test('in a pull request the commit is the one that was pushed, not the merge', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify({ pull_request: { head: { sha: commitSha } } }));
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: 'merge',
    GITHUB_HEAD_REF: 'fix/ünïcode',
    GITHUB_REF_NAME: '7/merge',
    GITHUB_EVENT_PATH: event,
    GITHUB_SERVER_URL: 'https://git.example.com',
    GITHUB_REPOSITORY: 'team/server',
    GITHUB_RUN_ID: '42',
  };
  expect(detectCi(env)).toMatchObject({
    commitSha,
    branch: 'fix/ünïcode',
    runUrl: 'https://git.example.com/team/server/actions/runs/42',
  });
  writeFileSync(event, 'not JSON');
  expect(detectCi(env)?.commitSha).toBe('merge');
  const headers = launchHeaders(env);
  expect(JSON.parse(headers['x-mcpjam-launcher'] as string)).toMatchObject({ kind: 'github_action' });
  expect(headers['x-mcpjam-ci']).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(headers['x-mcpjam-ci'] as string)).toMatchObject({ branch: 'fix/ünïcode' });
});

test('elsewhere nothing is said of a CI', () => {
  expect(Object.keys(launchHeaders({ PATH: '/bin' }))).toEqual(['x-mcpjam-launcher']);
});
