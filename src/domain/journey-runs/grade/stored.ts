/** Result of grading a session, as stored. */
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

/** Input of the finding detectors, besides grades. */
export interface StoredFacts {
  tools: { serverId: string | null; serverName: string; toolName: string; calls: number; errors: number }[];
  /** Tool names the model called that no server has. */
  unknownTools: string[];
  outputTruncated: boolean;
}
