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
    name: z.string().describe('Name from SKILL.md. Cannot be changed.'),
    description: z.string(),
    sharing: z
      .enum(['user', 'project'])
      .describe('`user`: visible to its owner only. `project`: visible to all members.'),
    isOwner: z.boolean().describe('Whether the skill belongs to the key owner.'),
    aggregateHash: z.string().describe('Hash of the body and the supporting files.'),
    provenance: z
      .string()
      .describe('`authored`: created by the operator. `plugin`: a component of a plugin.'),
    pinnability: z.object({ ok: z.boolean(), reason: z.enum(unpinnableReasons).optional() }).meta({
      id: 'SkillPinnability',
      description: 'Whether environments can pin the skill, and the reason if not.',
    }),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Skill' });

const SkillDetail = Skill.extend({
  content: z.string().describe('Text of SKILL.md without its frontmatter.'),
}).meta({ id: 'SkillDetail' });

export const listProjectSkills = operation({
  summary: "List a project's skills",
  description:
    'Skills shared with the project and personal skills of the key owner. For plugins, only skills of the active version.',
  query: z.object(lookupPage),
  response: pageOf(Skill, 'SkillPage'),
});

export const getProjectSkill = operation({
  summary: 'Read a skill',
  path: '/{skillId}',
  response: SkillDetail,
});
