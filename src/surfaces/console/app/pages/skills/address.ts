import { type Raw, text } from '../../addresses.ts';

export interface SkillsSearch {
  /** The skill whose text is shown. */
  skill?: string | undefined;
}

export interface PluginsSearch {
  /** The plugin version that is shown. */
  version?: string | undefined;
}

export function skillsSearch(raw: Raw): SkillsSearch {
  return { skill: text(raw['skill']) };
}

export function pluginsSearch(raw: Raw): PluginsSearch {
  return { version: text(raw['version']) };
}
