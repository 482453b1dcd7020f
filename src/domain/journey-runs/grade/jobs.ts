/** Job kinds enqueued when a session or run ends. */
export const gradeSession = 'grade-journey-session';
export const observeWave = 'observe-journey-wave';
