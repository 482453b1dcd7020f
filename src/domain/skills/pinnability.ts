import type { unpinnableReasons } from '../../contract/skills.ts';
import type { SkillPinRow } from '../../platform/database/queries/skills.ts';

export interface Pinnability {
  ok: boolean;
  reason?: (typeof unpinnableReasons)[number];
}

/** Whether an environment may pin the skill; if not, the first reason why. */
export function pinnabilityOf(
  skill: Omit<SkillPinRow, 'id' | 'name' | 'aggregateHash' | 'ownerId'>,
): Pinnability {
  if (skill.sharing !== 'project') return { ok: false, reason: 'personal' };
  if (skill.hasFiles) return { ok: false, reason: 'supporting_files' };
  if (skill.hasExtraFrontmatter) return { ok: false, reason: 'extra_frontmatter' };
  if (skill.pluginVersionId !== null) return { ok: false, reason: 'plugin_component' };
  return { ok: true };
}
