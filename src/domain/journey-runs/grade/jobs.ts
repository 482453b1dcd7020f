/** Kinds of jobs that what ends leaves behind. */
export const gradeSession = 'grade-journey-session';
export const observeWave = 'observe-journey-wave';
