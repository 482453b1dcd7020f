// @module-tag long
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAuditEvents } from '../src/domain/operator/audit.ts';
import { installPlugin } from '../src/domain/operator/plugins.ts';
import { addSkill, listSkills, removeSkill } from '../src/domain/operator/skills.ts';
import { createUser } from '../src/domain/operator/users.ts';
import { readFrontmatter } from '../src/domain/skills/frontmatter.ts';
import { skillBounds } from '../src/domain/skills/parse.ts';
import { pinnabilityOf } from '../src/domain/skills/pinnability.ts';
import { pinning } from '../src/platform/database/queries/skills.ts';
import { hashOf, readFolder } from '../src/platform/folder.ts';
import { OperatorProblem } from '../src/platform/problem.ts';
import { filesOf, folderOf, skillMd } from './support/folder.ts';
import { commandFor } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

const run = (...args: string[]) => commandFor(service)(...args);

async function newProject(): Promise<string> {
  return (await service.post('/projects', { name: 'Skills' })).body.id;
}

test('an operator adds a skill from a folder, replaces it and removes it', async () => {
  const folder = await folderOf({ 'SKILL.md': skillMd('greeting'), 'notes/tone.md': 'Warm.' });
  const added = await run('skills', 'add', folder);
  expect(added.stderr).toBe('');
  const id = added.stdout.trim();
  expect(id).toMatch(/^skl_/);
  const path = `/projects/${await service.defaultProject()}/skills`;
  const first = (await service.get(`${path}/${id}`)).body;
  expect(first).toEqual({
    id,
    projectId: await service.defaultProject(),
    name: 'greeting',
    description: 'About greeting',
    sharing: 'project',
    isOwner: false,
    aggregateHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    provenance: 'authored',
    pinnability: { ok: false, reason: 'supporting_files' },
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
    content: 'Be kind.\n',
  });
  await writeFile(join(folder, 'notes/tone.md'), 'Warm and brief.');
  expect((await run('skills', 'add', folder)).stdout.trim()).toBe(id);
  const { content: _, ...second } = (await service.get(`${path}/${id}`)).body;
  expect(second.aggregateHash).not.toBe(first.aggregateHash);
  expect((await service.get(path)).body).toEqual({ items: [second] });

  expect((await run('skills', 'list-all')).stdout).toMatch(
    new RegExp(`${id} +greeting +prj_\\S+ +project +authored`),
  );
  expect((await run('skills', 'remove', id)).stdout).toBe(`Removed ${id}.\n`);
  expect((await service.get(`${path}/${id}`)).status).toBe(404);
  await expect(removeSkill(service.db, id)).rejects.toThrow(`No skill ${id}. See: drydock skills list`);
  expect((await run('skills', 'add', join(folder, 'notes'))).stderr).toBe(
    'drydock: The folder contains no SKILL.md\n',
  );
  const audit = await listAuditEvents(service.db, undefined, '100');
  expect(audit.filter(({ target }) => target === id).map(({ action }) => action)).toEqual([
    'skill.remove',
    'skill.replace',
    'skill.add',
  ]);
});

test('a personal skill is seen by its owner alone', async () => {
  const project = await newProject();
  const ann = await service.member('member');
  const files = filesOf({ 'SKILL.md': skillMd('mine') });
  const own = await addSkill(service.db, files, { project, owner: ann.userId });
  const shared = await addSkill(service.db, files, { project });
  expect(shared.id).not.toBe(own.id);
  const path = `/projects/${project}/skills`;
  expect((await service.get(path, { key: ann.key })).body.items).toMatchObject([
    { id: own.id, sharing: 'user', isOwner: true, pinnability: { ok: false, reason: 'personal' } },
    { id: shared.id, sharing: 'project', isOwner: false, pinnability: { ok: true } },
  ]);
  expect((await service.get(path)).body.items).toMatchObject([{ id: shared.id }]);
  expect((await service.get(`${path}/${own.id}`, { key: ann.key })).status).toBe(200);
  const hidden = await service.get(`${path}/${own.id}`);
  const nothing = await service.get(`${path}/skl_none`);
  expect(hidden.body).toEqual(nothing.body);
  expect(hidden.status).toBe(404);

  const stranger = await createUser(service.db, { email: 'skills-stranger@example.com', name: 'S' });
  await expect(addSkill(service.db, files, { project, owner: stranger })).rejects.toThrow('is not a member');
});

test('a skill of another project is not there', async () => {
  const [here, there] = [await newProject(), await newProject()];
  const { id } = await addSkill(service.db, filesOf({ 'SKILL.md': skillMd('far') }), { project: there });
  expect((await service.get(`/projects/${here}/skills/${id}`)).status).toBe(404);
  expect((await service.get(`/projects/${here}/skills`)).body).toEqual({ items: [] });
  expect((await listSkills(service.db, here)).length).toBe(0);
  expect(await service.db.rows(pinning, { projectId: here, ids: [id] })).toEqual([]);
});

test('what can be pinned, and why the rest cannot', async () => {
  const project = await newProject();
  const { userId } = await service.member('member');
  const add = async (name: string, files: Record<string, string>, owner?: string) =>
    (await addSkill(service.db, filesOf(files), { project, owner })).id;
  const plain = await add('plain', { 'SKILL.md': skillMd('plain') });
  const withFiles = await add('files', {
    'SKILL.md': skillMd('files', { extra: 'license: MIT\n' }),
    'a.txt': 'a',
  });
  const extra = await add('extra', { 'SKILL.md': skillMd('extra', { extra: 'license: MIT\n' }) });
  const personal = await add('personal', { 'SKILL.md': skillMd('personal'), 'a.txt': 'a' }, userId);
  const { versionId } = await installPlugin(
    service.running.services,
    filesOf({ 'plugin.json': '{"name":"pack"}', 'skills/one/SKILL.md': skillMd('one') }),
    { project },
  );
  const component = (await service.get(`/plugin-versions/${versionId}`)).body.skills[0].materializedSkillId;
  const expected = {
    [plain]: { ok: true },
    [withFiles]: { ok: false, reason: 'supporting_files' },
    [extra]: { ok: false, reason: 'extra_frontmatter' },
    [personal]: { ok: false, reason: 'personal' },
    [component]: { ok: false, reason: 'plugin_component' },
  };
  const rows = await service.db.rows(pinning, {
    projectId: project,
    ids: [...Object.keys(expected), 'skl_none'],
  });
  expect(Object.fromEntries(rows.map((row) => [row.id, pinnabilityOf(row)]))).toEqual(expected);
  expect(rows.find(({ id }) => id === personal)).toEqual({
    id: personal,
    name: expect.any(String),
    aggregateHash: expect.stringMatching(/^sha256:/),
    sharing: 'user',
    ownerId: userId,
    hasFiles: true,
    hasExtraFrontmatter: false,
    pluginVersionId: null,
  });
  const { items } = (await service.get(`/projects/${project}/skills`)).body;
  expect(items.find(({ id }: { id: string }) => id === component)).toMatchObject({ provenance: 'plugin' });
  await expect(removeSkill(service.db, component)).rejects.toThrow('belongs to the plugin pack');
});

test('the hash depends on names and contents, and on nothing else', () => {
  const hash = hashOf([
    ['a', 'xb'],
    ['c', 'y'],
  ]);
  expect(
    hashOf([
      ['c', 'y'],
      ['a', 'xb'],
    ]),
  ).toBe(hash);
  expect(
    hashOf([
      ['ax', 'b'],
      ['c', 'y'],
    ]),
  ).not.toBe(hash);
  expect(
    hashOf([
      ['a', 'x'],
      ['bc', 'y'],
    ]),
  ).not.toBe(hash);
});

describe('a project', () => {
  test('is found by its name, and asked for when the name is not enough', async () => {
    const files = filesOf({ 'SKILL.md': skillMd('placed') });
    const { body } = await service.post('/projects', { name: 'Only one of its name' });
    const { id } = await addSkill(service.db, files, { project: 'Only one of its name' });
    expect((await service.get(`/projects/${body.id}/skills/${id}`)).status).toBe(200);
    await expect(addSkill(service.db, files, { project: 'nowhere' })).rejects.toThrow('No project nowhere');
    await newProject();
    await newProject();
    await expect(addSkill(service.db, files, { project: 'Skills' })).rejects.toThrow(
      'Use an ID: Skills of Drydock (prj_',
    );
    await service.stranger();
    await expect(addSkill(service.db, files)).rejects.toThrow('Name the project with --project: Default of ');
  });
});

describe('frontmatter', () => {
  const read = (...lines: string[]) => readFrontmatter(['---', ...lines, '---', 'Text'].join('\n'));

  test('texts, numbers, booleans and lists are read', () => {
    const { fields, body } = read(
      '# About',
      'name: plain text, with "quotes" inside # and a comment',
      `single: 'it''s: here' # why`,
      'double: "a\\tb # c"',
      'url: https://example.com/a#b',
      'number: -1.5',
      'flag: true',
      'none:',
      'nothing: ~',
      'inline: [a, "b, c", 3, false]',
      'empty: []',
      'lines:',
      '  - one',
      '  - "two: 2"',
      'indentless:',
      '- 1',
      '',
    );
    expect(fields).toEqual({
      name: 'plain text, with "quotes" inside',
      single: "it's: here",
      double: 'a\tb # c',
      url: 'https://example.com/a#b',
      number: -1.5,
      flag: true,
      none: null,
      nothing: null,
      inline: ['a', 'b, c', 3, false],
      empty: [],
      lines: ['one', 'two: 2'],
      indentless: [1],
    });
    expect(body).toBe('Text');
  });

  test('Windows line ends and a byte order mark do no harm', () => {
    expect(readFrontmatter('\ufeff---\r\nname: a\r\n---\r\n\r\nOne\r\n---\r\nTwo')).toEqual({
      fields: { name: 'a' },
      body: 'One\r\n---\r\nTwo',
    });
  });

  test('texts over several lines and nested values are read', () => {
    const { fields } = read('a: >-', '  one', '  two', 'metadata:', '  author: Ann', '  tags: [x, {y: z}]');
    expect(fields).toEqual({ a: 'one two', metadata: { author: 'Ann', tags: ['x', { y: 'z' }] } });
  });

  test.each([
    ['an ambiguous text', ['a: b: c'], 'line 2: '],
    ['an open quote', ['a: "b'], 'line '],
    ['text behind a quote', [`a: 'b' c`], 'line 2: '],
    ['an unknown escape', ['a: "\\q"'], 'line 2: '],
    ['an open list', ['b: 1', 'a: [b'], 'line '],
    ['a key twice', ['a: b', 'a: c'], 'line 3: '],
    ['NUL in quotes', ['a: "\\u0000"'], 'cannot be stored'],
    ['a reference', ['a: &b c', 'd: *b'], 'must not use YAML aliases'],
    ['a list instead of fields', ['- a'], 'must contain fields'],
  ])('%s is refused', (_, lines, message) => {
    expect(() => read(...lines)).toThrow(OperatorProblem);
    expect(() => read(...lines)).toThrow(message);
  });
});

test.each<[string, Record<string, string>, string]>([
  ['no frontmatter', { 'SKILL.md': 'Text' }, 'must begin with frontmatter'],
  ['no end', { 'SKILL.md': '---\nname: a\n' }, 'not closed by a line ---'],
  ['no name', { 'SKILL.md': '---\ndescription: a\n---\n' }, 'name must be a text'],
  ['a number as name', { 'SKILL.md': '---\nname: 1\ndescription: a\n---\n' }, 'name must be a text'],
  ['no description', { 'SKILL.md': '---\nname: a\n---\n' }, 'description must be a text'],
  ['an empty description', { 'SKILL.md': '---\nname: a\ndescription: ""\n---\n' }, 'description: '],
  ['NUL', { 'SKILL.md': skillMd('a', { body: '\0' }) }, 'not text in UTF-8'],
  ['a long text', { 'SKILL.md': skillMd('a', { body: 'x'.repeat(256 * 1024) }) }, 'larger than 262144'],
  [
    'many files',
    { 'SKILL.md': skillMd('a'), ...Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`${i}`, ''])) },
    'at most 50 supporting files',
  ],
  ['much content', { 'SKILL.md': skillMd('a'), big: 'x'.repeat(5 * 1024 * 1024) }, 'at most 5242880 bytes'],
])('a skill with %s is refused', async (_, files, message) => {
  await expect(addSkill(service.db, filesOf(files))).rejects.toThrow(message);
});

describe('a folder', () => {
  test('is read in the order of its paths, without what tools leave behind', async () => {
    const folder = await folderOf({ 'b/c.txt': '1', 'a.txt': '2', 'B.txt': '3', '.git/config': 'x' });
    expect([...(await readFolder(folder, skillBounds)).keys()]).toEqual(['B.txt', 'a.txt', 'b/c.txt']);
  });

  test('with a link, a strange name, or too much in it is refused', async () => {
    const folder = await folderOf({ 'SKILL.md': skillMd('a') });
    await symlink('/etc/passwd', join(folder, 'users'));
    await expect(readFolder(folder, skillBounds)).rejects.toThrow('users in ');
    const strange = await folderOf({ 'a\\b': '' });
    await expect(readFolder(strange, skillBounds)).rejects.toThrow('invalid name');
    const two = await folderOf({ a: '12', b: '34' });
    await expect(readFolder(two, { files: 1, bytes: 10 })).rejects.toThrow('more than 1 files');
    await expect(readFolder(two, { files: 2, bytes: 3 })).rejects.toThrow('more than 3 bytes');
    const deep = await folderOf({ [`${'d/'.repeat(17)}a`]: '' });
    await expect(readFolder(deep, skillBounds)).rejects.toThrow('nested deeper');
    await expect(readFolder(join(two, 'nowhere'), skillBounds)).rejects.toThrow('ENOENT');
  });
});
