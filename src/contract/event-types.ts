/** What happens in a project that others may want to hear of at once. */
export const eventTypes = {
  'eval_run.decided': 'An eval run is over, however it ended.',
  'gate.changed':
    'What the gate of a suite says differs from the run before in the same environment, or a waiver was made or taken back.',
  'journey_run.decided': 'All sessions of a journey run are over and graded.',
  'finding.new': 'A finding of journeys or of a study that was not there before.',
  'finding.regressed': 'A finding that was resolved is back.',
  'conformance_run.decided': 'A conformance run is over.',
  'readiness_run.decided': 'A readiness run is over.',
  'server.unhealthy': 'Two scheduled checks of a server in a row have failed.',
  'server.healthy': 'The first good check of a server that was unhealthy.',
} as const;

export type EventType = keyof typeof eventTypes;
