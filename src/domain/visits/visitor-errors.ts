import { Refusal } from '../../contract/errors.ts';

/** Reasons about the conversation itself, which the visitor may see. */
const ownReasons = new Set([
  'TURN_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
  'SESSION_FULL',
  'SESSION_ENDED',
  'SESSION_VERSION_CONFLICT',
  'CONCURRENT_TURN_LIMIT',
  'GUESTS_DISABLED',
  'GUEST_CREDIT_CAP',
  'GUEST_TURN_LIMIT',
  'VISITOR_TURN_LIMIT',
  'ACCESS_ENDED',
]);

/** Replaces internal causes, which only the study's owners may see, by advice to the visitor. */
export function forVisitor(refusal: Refusal): Refusal {
  const { code } = refusal;
  const { details = {} } = refusal.toBody();
  const reason = details['reason'] ?? details['code'];
  if (typeof reason === 'string' && ownReasons.has(reason)) return refusal;
  // A refusal with details is about a server.
  const plain = Object.keys(details).length === 0;
  if (plain && (code === 'NOT_FOUND' || code === 'UNAUTHORIZED')) return refusal;
  if (code === 'TIMEOUT')
    return new Refusal('TIMEOUT', 'The reply timed out. Send your message again', {
      details: { reason: 'TURN_TIMEOUT' },
    });
  return new Refusal(
    // The visitor's input was validated before, so this is an internal conflict.
    code === 'VALIDATION_ERROR' ? 'CONFLICT' : code,
    'This study is unavailable right now. Try again later, or contact the person who sent you the link',
    { details: { reason: 'STUDY_UNAVAILABLE' } },
  );
}

/** Converts the refusals of `work` for a visitor. */
export async function withVisitorErrors<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Refusal ? forVisitor(error) : error;
  }
}
