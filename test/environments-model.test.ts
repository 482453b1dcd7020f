// @module-tag long
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { debian15, startPostgres15 } from './support/cluster.ts';
import { createDatabase } from './support/database.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

/**
 * Random concurrent writes. Each answer is compared with the stored rows: no acknowledged write is lost, and
 * no refused write leaves a trace.
 */

interface Write {
  caller: number;
  target: number;
  action: 'edit' | 'rename' | 'archive' | 'restore' | 'name';
  text: number;
  /** Sends a revision that was never read. */
  stale: boolean;
}

const writes = fc.array(
  fc.record<Write>({
    caller: fc.nat(4),
    target: fc.nat(3),
    action: fc.constantFrom('edit', 'rename', 'archive', 'restore', 'name'),
    text: fc.nat(3),
    stale: fc.boolean(),
  }),
  { minLength: 20, maxLength: 60 },
);

interface Row {
  id: string;
  name: string | null;
  description: string | null;
  revision: number;
  archived: boolean;
}

const databases = [
  { name: 'PostgreSQL 18, as embedded', there: true, create: () => createDatabase() },
  { name: 'PostgreSQL 15', there: existsSync(`${debian15}/postgres`), create: startPostgres15 },
];

describe.each(databases.filter(({ there }) => there))('on $name', ({ create }) => {
  test('random writes by five callers at once keep every promise', async () => {
    const service = await startTestService({ database: await create() });
    onTestFinished(() => dispose(service));
    await fc.assert(
      fc.asyncProperty(writes, async (sequence) => {
        const world = await World.create(service);
        await world.run(sequence);
        expect(await world.broken()).toEqual([]);
      }),
      { numRuns: 6, seed: 4700 },
    );
  });
});

/** Four environments of one project, two of them without a name at first. */
class World {
  private readonly service: TestService;
  private readonly project: string;
  private readonly ids: string[];
  /** Acknowledged writes, by environment. */
  private readonly acknowledged: Answer[] = [];
  private readonly refusals: Answer[] = [];

  private constructor(service: TestService, project: string, ids: string[]) {
    this.service = service;
    this.project = project;
    this.ids = ids;
  }

  static async create(service: TestService): Promise<World> {
    const { body } = await service.post('/projects', { name: 'Model' });
    const project = `/projects/${body.id}`;
    const hostId = (await service.post(`${project}/clients`, { name: 'C', template: 'claude' })).body.id;
    const ids: string[] = [];
    for (const name of ['a', 'b'])
      ids.push((await service.post(`${project}/environments`, { name, hostId })).body.id);
    for (const modelId of ['m', 'n']) {
      const adhoc = await service.post(`${project}/environments/ensure-adhoc`, { hostId, modelId });
      ids.push(adhoc.body.environment.id);
    }
    return new World(service, project, ids);
  }

  async run(sequence: Write[]): Promise<void> {
    const lanes = [0, 1, 2, 3, 4].map((lane) => sequence.filter(({ caller }) => caller === lane));
    await Promise.all(lanes.map((lane) => this.work(lane)));
  }

  private async work(lane: Write[]): Promise<void> {
    for (const write of lane) {
      const id = this.ids[write.target] as string;
      const { revision } = await this.read(id);
      const answer = await this.send(write, id, write.stale ? revision + 7 : revision);
      (answer.status === 200 ? this.acknowledged : this.refusals).push(answer);
    }
  }

  private send({ action, text }: Write, id: string, expectedRevision: number): Promise<Answer> {
    const path = `${this.project}/environments/${id}`;
    const name = ['a', 'B', 'b', 'c'][text] as string;
    switch (action) {
      case 'edit':
        return this.service.patch(path, { expectedRevision, description: `text ${text}` });
      case 'rename':
        return this.service.patch(path, { expectedRevision, name });
      case 'name':
        return this.service.post(`${path}/name`, { expectedRevision, name });
      default:
        return this.service.post(`${path}/${action}`, { expectedRevision });
    }
  }

  private async read(id: string): Promise<Row> {
    return (await this.service.get(`${this.project}/environments/${id}`)).body;
  }

  /** Violations of these guarantees. */
  async broken(): Promise<string[]> {
    const rows = await Promise.all(this.ids.map((id) => this.read(id)));
    const live = rows.filter(({ archived }) => !archived).flatMap(({ name }) => name?.toLowerCase() ?? []);
    const broken =
      new Set(live).size === live.length ? [] : [`two live environments share a name: ${live.join()}`];
    for (const row of rows) broken.push(...this.lostIn(row));
    const strange = this.refusals.filter(({ status, body }) => status !== 409 || body.details === undefined);
    return [...broken, ...strange.map(({ status, text }) => `refused with ${status} ${text}`)];
  }

  /** Acknowledged revisions are unique and without gaps: no write was lost, and refused ones made none. */
  private lostIn(row: Row): string[] {
    const mine = this.acknowledged.map(({ body }) => body as Row).filter(({ id }) => id === row.id);
    const made = mine.map(({ revision }) => revision).sort((a, b) => a - b);
    const expected = Array.from({ length: row.revision - 1 }, (_, n) => n + 2);
    const last = mine.find(({ revision }) => revision === row.revision) ?? row;
    return [
      ...(made.join() === expected.join()
        ? []
        : [`revisions ${made.join()} were acknowledged, not ${expected.join()}`]),
      ...(isDeepStrictEqual(last, row)
        ? []
        : [`the last write is not what is there: ${JSON.stringify([last, row])}`]),
    ];
  }
}
