const words: Record<string, string> = {
  credits: 'Credits this month',
  insightsPerDay: 'Insight requests per day',
  journeyLaunchesPerDay: 'Journey launches per day',
  generationsPerDay: 'Draft generations per day',
  concurrentEvalRuns: 'Eval runs concurrently',
  concurrentChatTurns: 'Chat turns concurrently',
};

/** Label of a plan limit; unknown ones are spelled out: `fooBarsPerDay` becomes “Foo bars per day”. */
export function limitText(name: string): string {
  const known = words[name];
  if (known !== undefined) return known;
  const spaced = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
