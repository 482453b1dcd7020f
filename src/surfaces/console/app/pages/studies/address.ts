import { oneOf, type Raw } from '../../addresses.ts';

export interface StudiesSearch {
  /** Whether unpublished studies are shown too. */
  unpublished?: true | undefined;
  /** Whether the form that publishes a study is open. */
  publish?: true | undefined;
}

export function studiesSearch(raw: Raw): StudiesSearch {
  return { unpublished: yes(raw['unpublished']), publish: yes(raw['publish']) };
}

const studyTabs = ['overview', 'members', 'sessions', 'findings'] as const;
export type StudyTab = (typeof studyTabs)[number];

export interface StudySearch {
  tab?: StudyTab | undefined;
}

export function studySearch(raw: Raw): StudySearch {
  return { tab: oneOf(studyTabs, raw['tab']) };
}

function yes(value: unknown): true | undefined {
  return value === true ? true : undefined;
}
