import type { journeyFindings, WaveInsights } from '../../evaluation/index.ts';

/** What was counted in a wave. */
export interface CountedWave extends WaveInsights {
  journeyFindings: ReturnType<typeof journeyFindings>;
}
