import type { journeyFindings, readDiscovery, WaveInsights } from '../../evaluation/index.ts';

/** What was found out about a wave, as it is stored and answered. */
export interface InsightsContent extends WaveInsights {
  generatedAt: number;
  /** Who added words to what was counted; none where no language model is hosted, or it failed. */
  modelUsed: string | null;
  providerKey: string | null;
  journeyFindings: ReturnType<typeof journeyFindings>;
}

export interface DiscoveryContent {
  generatedAt: number;
  modelUsed: string;
  sampledSessionIds: string[];
  findings: NonNullable<ReturnType<typeof readDiscovery>>;
}
