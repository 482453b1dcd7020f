import { describe, expect, test } from 'vitest';
import { planFor } from './plan.ts';
import { indexTools } from './rank.ts';

function tool(name: string, description: string, ...required: string[]) {
  const properties = Object.fromEntries(required.map((key) => [key, { type: 'string' }]));
  return { name, description, inputSchema: { type: 'object', properties, required } };
}

const tools = [
  tool('delete_ticket', 'Delete a ticket for good, day or night. Thank you for being careful.', 'id'),
  tool('get_ticket', 'Get one ticket by its id.', 'id'),
  tool('list_tickets', 'List the tickets that are open.'),
  tool('create_ticket', 'Create a ticket with a title.', 'title'),
  tool('close_ticket', 'Close a ticket that is done.', 'id'),
  tool('remove_user', 'Remove a user from the help desk.', 'name'),
  tool('cancel_order', 'Cancel an order. Good customers get their money back.', 'order'),
  tool('purge_cache', 'Purge all entries.'),
  tool('factory', 'Permanently resets the help desk to how it was delivered.', 'reason'),
  tool('send_email', 'Send an email to somebody.', 'to', 'body'),
  tool('search_docs', 'Search the documentation for a query.', 'query'),
  tool('inspect_hull', 'Report the rusty plates of one ship.', 'ship'),
];
const destructive = [
  'delete_ticket',
  'close_ticket',
  'remove_user',
  'cancel_order',
  'purge_cache',
  'factory',
];

/** The calls with all tools, and with each tool alone: without competing tools, a tool is chosen more easily. */
function callsOf(prompt: string) {
  const lists = [tools, ...tools.map((one) => [one])];
  return lists.flatMap((list) => planFor(prompt, indexTools(list)).calls);
}

describe('nothing is called where nothing is asked for', () => {
  test.each([
    'Thank you, and good night.',
    'Thank you, and good night',
    'Thanks for the ticket!',
    'Thank you for deleting the ticket T-5.',
    'Good morning. I hope the user Alice is well.',
    'Good night, Alice.',
    'Hello, this is Bob from the help desk.',
    'I deleted ticket T-5 yesterday.',
    'We have closed the ticket T-5 and removed the user Alice.',
    'The order A-7 was cancelled, which is a pity.',
    'That ticket is great.',
    'You are a good customer.',
    'My ticket T-5 was done in a day.',
    'Yes, the ticket T-5.',
    'No, never mind the order A-7.',
    'Do not delete the ticket T-5.',
    "Please don't cancel order A-7.",
    'Never remove the user Alice.',
    'Okay.',
    'See you at night.',
    'Sorry about the ticket T-5.',
    'It rained for a whole day and night.',
    'Wonderful, that is all I need for good.',
  ])('%s', (prompt) => {
    expect(callsOf(prompt)).toEqual([]);
  });
});

describe('a destructive tool needs its verb, as a request', () => {
  test.each([
    'What is the status of ticket T-5?',
    'Show me ticket T-5',
    'Is ticket T-5 deleted?',
    'Why was the order A-7 cancelled?',
    'What happens if I delete ticket T-5?',
    'Should I remove the user Alice?',
    'How do I cancel order A-7?',
    'When did you close ticket T-5?',
    'What does delete_ticket do?',
    'Ticket T-5, order A-7, user Alice',
    'Tell me about the cache entries',
    'Which tickets did Bob delete?',
    'Create a ticket titled "Delete the user Alice"',
    'The ticket T-5 for good, day and night',
    'Get ticket T-5 instead of deleting it',
    'What was delivered to the help desk?',
  ])('%s', (prompt) => {
    expect(callsOf(prompt).filter(({ name }) => destructive.includes(name))).toEqual([]);
  });

  test.each<[string, string, object]>([
    ['Delete ticket T-5', 'delete_ticket', { id: 'T-5' }],
    ['Please delete the ticket T-5.', 'delete_ticket', { id: 'T-5' }],
    ['Can you erase ticket T-5?', 'delete_ticket', { id: 'T-5' }],
    ['I want you to delete the ticket "T-5"', 'delete_ticket', { id: 'T-5' }],
    ['Thanks. Now delete ticket T-5.', 'delete_ticket', { id: 'T-5' }],
    ['Remove the user Alice', 'remove_user', { name: 'Alice' }],
    ['I would like to cancel order A-7', 'cancel_order', { order: 'A-7' }],
    ["Let's close ticket T-5", 'close_ticket', { id: 'T-5' }],
    ['Purge the cache', 'purge_cache', {}],
    ['Call delete_ticket with id T-5', 'delete_ticket', { id: 'T-5' }],
  ])('%s', (prompt, name, input) => {
    expect(planFor(prompt, indexTools(tools)).calls).toEqual([{ name, arguments: input }]);
  });
});

describe('a required value that is not stated is left out', () => {
  test.each<[string, string, object]>([
    ['Delete the ticket', 'delete_ticket', {}],
    ['Please delete a ticket, Alice', 'delete_ticket', {}],
    ['Kindly inspect the hull', 'inspect_hull', {}],
    ['Today inspect the hull of a ship', 'inspect_hull', {}],
    ['Cancel the order', 'cancel_order', {}],
    ['Remove the user', 'remove_user', {}],
    ['Inspect the hull of Albatross', 'inspect_hull', { ship: 'Albatross' }],
    ['Inspect Albatross’s hull', 'inspect_hull', { ship: 'Albatross' }],
  ])('%s', (prompt, name, input) => {
    expect(planFor(prompt, indexTools(tools)).calls).toEqual([{ name, arguments: input }]);
  });
});
