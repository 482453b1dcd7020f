import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

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
  area: 'Skills',
  summary: "List a project's skills",
  description:
    "Those shared with the project, and the key owner's personal ones. Of a plugin, those of its active version.",
  method: 'GET',
  path: '/projects/{projectId}/skills',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(Skill, 'SkillPage'),
  access: 'project member',
});

export const getProjectSkill = operation({
  area: 'Skills',
  summary: 'Read a skill',
  method: 'GET',
  path: '/projects/{projectId}/skills/{skillId}',
  status: 200,
  response: SkillDetail,
  access: 'project member',
});
