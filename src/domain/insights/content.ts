import type { Narration, readDiscovery } from '../../evaluation/index.ts';

/** What was found out, as it is stored and answered. */
export type InsightsContent<Counted extends Narration> = Counted & {
  generatedAt: number;
  /** Who added words to what was counted; none where no language model is hosted, or it failed. */
  modelUsed: string | null;
  providerKey: string | null;
};

export interface DiscoveryContent {
  generatedAt: number;
  modelUsed: string;
  sampledSessionIds: string[];
  findings: NonNullable<ReturnType<typeof readDiscovery>>;
}
