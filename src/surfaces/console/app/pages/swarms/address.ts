import { oneOf, type Raw, text } from '../../addresses.ts';

const swarmTabs = ['overview', 'journeys', 'personas', 'swarms', 'findings'] as const;
export type SwarmTab = (typeof swarmTabs)[number];
const makes = ['persona', 'journey', 'swarm', 'drafts'] as const;

export interface SwarmsSearch {
  tab?: SwarmTab | undefined;
  make?: (typeof makes)[number] | undefined;
  /** ID of the persona or swarm being edited. */
  edit?: string | undefined;
}

export function swarmsSearch(raw: Raw): SwarmsSearch {
  return { tab: oneOf(swarmTabs, raw['tab']), make: oneOf(makes, raw['make']), edit: text(raw['edit']) };
}

export interface JourneySearch {
  /** Whether the form is open. */
  edit?: true | undefined;
}

export function journeySearch(raw: Raw): JourneySearch {
  return { edit: raw['edit'] === true ? (true as const) : undefined };
}

export interface SwarmSessionSearch {
  /** The turn whose timeline is shown. */
  turn?: string | undefined;
  span?: string | undefined;
}

export function swarmSessionSearch(raw: Raw): SwarmSessionSearch {
  return { turn: text(raw['turn']), span: text(raw['span']) };
}
