/** What grading a session came to, as it is stored. */
export interface StoredCriteria {
  status: 'pending' | 'completed' | 'failed';
  results?: { criterionId: string; passed: boolean; status: 'scored' | 'error'; reason: string }[];
}

export interface StoredJudge {
  status: 'pending' | 'scored' | 'error' | 'skipped';
  score?: number;
  passed?: boolean;
  reason?: string;
  model?: string;
}

/** What detectors go by, besides grades. */
export interface StoredFacts {
  tools: { serverId: string | null; serverName: string; toolName: string; calls: number; errors: number }[];
  /** Names that the model called and no server has. */
  unknownTools: string[];
  outputTruncated: boolean;
}
