import { z } from 'zod';
import { count } from './fields.ts';
import { Time } from './paging.ts';

const Evidence = z
  .object({
    sessionId: z.string().optional(),
    iterationId: z.string().optional(),
    kind: z.enum(['tool_error', 'transcript', 'feedback', 'judge', 'contrast']),
    excerpt: z.string(),
    toolName: z.string().optional(),
    errorCode: z.string().optional(),
  })
  .meta({ id: 'ActionableFindingEvidence' });

const Finding = z
  .object({
    id: z.string(),
    signalFingerprint: z.string().describe('Identifies the kind of failure across runs.'),
    title: z.string(),
    category: z.enum([
      'unknown',
      'tool_contract',
      'tool_runtime',
      'capability_gap',
      'workflow',
      'agent_behavior',
      'test_design',
      'environment',
    ]),
    attribution: z.enum([
      'unknown',
      'server_contract',
      'server_runtime',
      'server_capability',
      'agent_or_prompt',
      'test_design',
      'environment',
    ]),
    actionTarget: z.enum(['investigate', 'mcp_server', 'agent_configuration', 'eval_case', 'environment']),
    actionability: z.enum(['informational', 'investigate', 'ready']),
    severity: z.enum(['info', 'low', 'medium', 'high']),
    confidence: z.enum(['low', 'medium', 'high']),
    observed: z.string(),
    rootCause: z.string().optional().describe('Probable cause, as judged by a language model.'),
    recommendation: z.string(),
    acceptanceCriteria: z.array(z.string()),
    affected: z.object({ count, total: count, unit: z.enum(['iterations', 'sessions']) }),
    patternSlug: z.string().optional(),
    evidence: z.array(Evidence),
  })
  .meta({ id: 'ActionableFinding' });

/** Insights into an eval run, a wave or a window of a study. */
export const InsightsEnvelope = z
  .object({
    schemaVersion: z.literal(1),
    scope: z
      .object({
        kind: z.enum(['eval_run', 'swarm_wave', 'user_testing_window']),
        id: z.string(),
        runId: z.string().optional(),
        scenarioId: z.string().optional(),
        windowStartAt: Time.optional(),
        windowEndAt: Time.optional(),
      })
      .meta({ id: 'InsightScope' }),
    status: z.enum(['not_available', 'not_requested', 'pending', 'completed', 'failed']),
    reasonCode: z.string().nullable(),
    retryable: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    generatedAt: Time.nullable(),
    updatedAt: Time.nullable(),
    summary: z.string().nullable(),
    coverage: z.object({
      unit: z.enum(['iterations', 'sessions']),
      analyzed: count,
      total: count,
      gradedCount: count.optional(),
      feedbackCount: count.optional(),
      truncated: z.boolean(),
      lowConfidence: z.boolean(),
    }),
    findings: z.array(Finding),
    runHealth: z
      .object({
        targets: z.array(
          z.object({
            subjectKind: z.enum(['environment', 'host']),
            subjectId: z.string(),
            subjectLabel: z.string(),
            attempted: count,
            succeeded: count,
            failed: count,
            rateLimited: count,
          }),
        ),
      })
      .optional(),
    journeyFindings: z
      .looseObject({})
      .nullable()
      .optional()
      .describe('For a wave: results of its runs by persona, journey and target.'),
    truncation: z.object({
      truncated: z.boolean(),
      omittedFindings: count,
      omittedEvidence: count,
      contractTruncated: z.boolean(),
    }),
  })
  .meta({ id: 'InsightsEnvelope' });
