import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import { maxListed } from '../../common/everything.ts';
import type { Calling } from '../agent.ts';
import { provenanceLabels } from '../answers.ts';
import { everyEnvironment, everyProject, everyServer, everySuite, projectOf } from '../names.ts';
import { answerSize, tool } from '../tool.ts';
import { project } from './arguments.ts';

const kinds = ['project', 'server', 'suite', 'environment'] as const;
type Kind = (typeof kinds)[number];

interface Found {
  kind: Kind;
  name: string;
  id: string;
  [fact: string]: unknown;
}

export const find = tool({
  name: 'find',
  title: 'Find projects, servers, suites and environments',
  description:
    'Search projects, and the servers, eval suites and environments of one project. An empty query lists them all. Other tools accept the names and IDs it returns.',
  input: z.strictObject({
    query: z.string().max(300).default('').describe('Words in a name, a URL or a description.'),
    kinds: z.array(z.enum(kinds)).min(1).max(4).optional().describe('Kinds to search (default: all).'),
    project,
    answerSize,
  }),
  run: async ({ query, kinds: wanted = [...kinds], project: where }, calling) => {
    const { id: projectId, name } = await projectOf(calling, where);
    const lists = await Promise.all([...new Set(wanted)].map((kind) => list[kind](calling, projectId)));
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = lists
      .flat()
      .map((each) => ({ each, hits: hits(each, words) }))
      .filter(({ hits: count }) => words.length === 0 || count > 0)
      .toSorted((a, b) => b.hits - a.hits)
      .map(({ each }) => each);
    const counts = `${found.length} found in project ${named(name)} (${projectId}).`;
    return {
      ours: [
        words.length > 0 && found.length === 0 ? `${counts} An empty query lists everything.` : counts,
        ...(lists.some(({ length }) => length === maxListed)
          ? [`Only the first ${maxListed} items of each kind were searched.`]
          : []),
      ],
      data: { provenance: provenanceLabels.records, value: found },
    };
  },
});

function hits(each: Found, words: readonly string[]): number {
  const text = JSON.stringify(each).toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}

const list: Record<Kind, (calling: Calling, projectId: string) => Promise<Found[]>> = {
  project: async (calling) =>
    (await everyProject(calling)).map(({ id, name, description, role }) => ({
      kind: 'project',
      name,
      id,
      description,
      role,
    })),
  server: async (calling, projectId) =>
    (await everyServer(calling, projectId)).map((server) => {
      const { id, name, url, command } = server as {
        id: string;
        name: string;
        url?: string;
        command?: string;
      };
      return { kind: 'server', name, id, url, command };
    }),
  suite: async (calling, projectId) =>
    (await everySuite(calling, projectId)).map(({ id, name, latestRun }) => ({
      kind: 'suite',
      name: name ?? id,
      id,
      latestRun: latestRun && {
        id: latestRun.id,
        result: latestRun.result ?? latestRun.status,
        ...(latestRun.warnings && { warnings: latestRun.warnings.map(({ code }) => code) }),
      },
    })),
  environment: async (calling, projectId) =>
    (await everyEnvironment(calling, projectId)).map(({ id, name }) => ({
      kind: 'environment',
      name: name ?? id,
      id,
    })),
};
