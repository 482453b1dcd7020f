import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Skills',
  path: '/projects/{projectId}/skills',
  access: 'project member',
});

export const unpinnableReasons = [
  'personal',
  'supporting_files',
  'extra_frontmatter',
  'plugin_component',
] as const;

const Skill = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string().describe('What identifies the skill; it never changes.'),
    description: z.string(),
    sharing: z.enum(['user', 'project']).describe('`user`: only its owner sees it. `project`: every member.'),
    isOwner: z.boolean().describe("Whether it is the key owner's own."),
    aggregateHash: z
      .string()
      .describe('Of the body and the supporting files together; tells whether the content has changed.'),
    provenance: z.string().describe('`authored` by the operator, or `plugin` for a component of one.'),
    pinnability: z
      .object({ ok: z.boolean(), reason: z.enum(unpinnableReasons).optional() })
      .meta({ id: 'SkillPinnability', description: 'Whether an environment may pin it, and if not, why.' }),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Skill' });

const SkillDetail = Skill.extend({
  content: z.string().describe('The text of SKILL.md below its frontmatter.'),
}).meta({ id: 'SkillDetail' });

export const listProjectSkills = operation({
  summary: "List a project's skills",
  description:
    "Those shared with the project, and the key owner's personal ones. Of a plugin, those of its active version.",
  query: z.object(lookupPage),
  response: pageOf(Skill, 'SkillPage'),
});

export const getProjectSkill = operation({
  summary: 'Read a skill',
  path: '/{skillId}',
  response: SkillDetail,
});
