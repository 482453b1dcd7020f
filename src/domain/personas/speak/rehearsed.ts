import { messageOf, type PersonaEnd, type PersonaMessage } from './answer.ts';
import type { PersonaTurn } from './prompt.ts';

/** Opening phrases by words in role and notes. The first match wins. */
const openings: readonly [RegExp, string][] = [
  [/hurr|quick|short|terse|busy|impatien/i, ''],
  [/\bnew|first (?:day|week|time)|unsure|beginner|learn/i, 'Hello! I am not sure how this works. '],
  [/scepti|skepti|wary|doubt|audit|careful|exact/i, 'Good day. I need a reliable answer. '],
  [/friend|chat|polite|courte|patien/i, 'Hello, it would be kind if you could help me. '],
];
const defaultOpening = 'Hello. ';

const followUps = [
  'Please go on with what I have told you.',
  'That is all I know; decide the rest yourself.',
] as const;

/**
 * Plays a persona without a language model, deterministically: states the goal, repeats it while the agent is silent
 * or asks back, then ends. Always ends after the last follow-up.
 */
export function rehearsedPersona({
  persona,
  goal,
  turn,
  transcript,
}: PersonaTurn): PersonaMessage | PersonaEnd {
  const said = Math.max(turn, transcript.filter(({ speaker }) => speaker === 'persona').length);
  const wish = inFirstPerson(goal);
  if (said === 0) return says(`${openingOf(persona)}${wish}`);
  const answer = lastAnswer(transcript);
  const followUp = followUps[said - 1];
  const isOpen = answer === '' || asksBack(answer);
  if (isOpen && followUp !== undefined) return says(`${followUp} ${wish}`);
  return { kind: 'ends', reason: isOpen ? 'The agent made no progress' : 'The agent has answered' };
}

function says(text: string): PersonaMessage {
  return { kind: 'says', message: messageOf(text) };
}

function openingOf({ role, notes }: PersonaTurn['persona']): string {
  const words = `${role} ${notes ?? ''}`;
  return openings.find(([pattern]) => pattern.test(words))?.[1] ?? defaultOpening;
}

/** A goal that is a wish or a question already is used unchanged. */
function inFirstPerson(goal: string): string {
  const wish = goal.trim();
  return /^(?:I|I['’]\p{L}+|my|we|our|please|can|could|would|will|is|are|do|does|what|which|who|when|where|why|how)\b/iu.test(
    wish,
  )
    ? wish
    : `I would like this: ${wish}`;
}

/** The agent's reply to the last message; empty if the agent has not replied. */
function lastAnswer(transcript: PersonaTurn['transcript']): string {
  const last = transcript.at(-1);
  return last?.speaker === 'agent' ? last.text.trim() : '';
}

/** Whether the answer ends with a question other than "anything else?". */
function asksBack(answer: string): boolean {
  const end = answer.slice(-300);
  const [last = ''] = end.match(/[^.!?\n]*[?\uff1f\u061f][\s"'”’»)\]*_]*$/u) ?? [];
  return last !== '' && !/(?:any|some)thing else|(?:further|other|more) questions/i.test(last);
}
