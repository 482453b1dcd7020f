/** Events of a project that webhooks can subscribe to. */
export const eventTypes = {
  'eval_run.decided': 'An eval run has finished, with any result.',
  'gate.changed':
    'The gate result of a suite differs from that of the previous comparable run, or a waiver was created or revoked.',
  'journey_run.decided': 'All sessions of a journey run are finished and graded.',
  'finding.new': 'A new finding of journeys or of a study.',
  'finding.regressed': 'A resolved finding has reappeared.',
  'conformance_run.decided': 'A conformance run has finished.',
  'readiness_run.decided': 'A readiness run has finished.',
  'server.unhealthy': 'Two consecutive scheduled checks of a server have failed.',
  'server.healthy': 'A scheduled check of an unhealthy server has passed.',
} as const;

export type EventType = keyof typeof eventTypes;
