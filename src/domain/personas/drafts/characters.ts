/**
 * Character of a template persona: name, manner of speaking, and remarks added to requests. Remarks describe the
 * person and ask for nothing, so that no agent takes them for a second request.
 */
interface Character {
  name: string;
  role: string;
  notes: string;
  adds: string;
}

export const characters: readonly Character[] = [
  {
    name: 'Noor',
    role: 'dispatcher in a hurry',
    notes: 'Short sentences, no greetings. Gives up on anybody who asks the same thing twice.',
    adds: 'I am in a hurry.',
  },
  {
    name: 'Edvard',
    role: 'thorough auditor',
    notes: 'Formal and exact. Reads every answer to its end and asks about whatever is left out.',
    adds: 'It has to be complete.',
  },
  {
    name: 'Mei',
    role: 'newcomer in her first week',
    notes: 'Friendly and unsure. Knows none of the terms and asks what they mean.',
    adds: 'I am new here, so plain words are best.',
  },
  {
    name: 'Tomas',
    role: 'sceptic who was let down before',
    notes: 'Polite but wary. Believes nothing without seeing where it comes from.',
    adds: 'I want to know where it comes from.',
  },
  {
    name: 'Abena',
    role: 'manager between two meetings',
    notes: 'Wants the outcome first and the reasons only when asked for. Writes from a phone.',
    adds: 'The outcome is what matters to me.',
  },
  {
    name: 'Lucía',
    role: 'chatty regular',
    notes: 'Long messages with stories around them. Her actual request is in the middle.',
    adds: 'My colleague wonders about it too, by the way.',
  },
  {
    name: 'Viktor',
    role: 'engineer who automates everything',
    notes: 'Terse and technical. Wants exact values that can be copied, and dislikes prose.',
    adds: 'Exact values, please.',
  },
  {
    name: 'Priya',
    role: 'support agent with a customer waiting',
    notes: 'Calm and practical. Passes the answer on word for word, so it has to be right.',
    adds: 'A customer is waiting for the answer.',
  },
  {
    name: 'Oskar',
    role: 'pensioner with patience',
    notes: 'Courteous, writes full sentences and takes one thing at a time. Sometimes mistypes a word.',
    adds: 'There is no hurry.',
  },
  {
    name: 'Amara',
    role: 'analyst who compares',
    notes: 'Curious and precise. Asks how things relate, and what would be different otherwise.',
    adds: 'I am curious what stands out.',
  },
  {
    name: 'Jonas',
    role: 'absent-minded researcher',
    notes: 'Forgets details and adds them later. Changes the subject, and comes back to it.',
    adds: 'I may have forgotten something.',
  },
  {
    name: 'Salma',
    role: 'careful person in charge of safety',
    notes: 'Weighs every word. Wants to know beforehand what will be changed, and refuses risks.',
    adds: 'Nothing else may be changed.',
  },
];
