/** What a session knows when it is the persona's turn. */
export interface PersonaTurn {
  persona: { name: string; role: string; notes: string | null };
  goal: string;
  /** Counts from 0. */
  turn: number;
  maxTurns: number;
  /** What was said, the oldest first; results of tools are not in it. */
  transcript: readonly { speaker: 'persona' | 'agent'; text: string }[];
}

export interface Says {
  kind: 'says';
  message: string;
}
export interface Ends {
  kind: 'ends';
  reason: string;
}
