import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, realTools } from '../../../test/support/tool-fixtures.ts';
import type { OfferedTool } from '../turn.ts';
import { planFor } from './plan.ts';
import { indexTools } from './rank.ts';

let folder: string;
let tools: Record<Fixture, OfferedTool[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-rehearsal-'));
  tools = await realTools(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Expected = [name: string, input: object][];

const plans: [Fixture, prompt: string, Expected][] = [
  ['demo', 'List the ships in the harbour', [['list_ships', {}]]],
  ['demo', 'Which ships are there?', [['list_ships', {}]]],
  ['demo', 'List 2 ships', [['list_ships', { limit: 2 }]]],
  ['demo', 'Show me five ships, skip 3', [['list_ships', { offset: 3, limit: 5 }]]],
  ['demo', 'List the ships with limit 4 and offset 2', [['list_ships', { offset: 2, limit: 4 }]]],
  ['demo', 'Inspect the hull of Albatross', [['inspect_hull', { ship: 'Albatross' }]]],
  ['demo', 'How rusty is the Albatross?', [['inspect_hull', { ship: 'Albatross' }]]],
  ['demo', 'Flood the dock for 2 seconds', [['flood_dock', { seconds: 2 }]]],
  ['demo', 'Launch the ship', [['launch_ship', {}]]],
  ['demo', 'Add the numbers 1, 2 and 3.5', [['add_numbers', { numbers: [1, 2, 3.5] }]]],
  ['demo', 'What is the sum of 4 and 5?', [['add_numbers', { numbers: [4, 5] }]]],
  ['demo', 'Use add_numbers on 10 and 20', [['add_numbers', { numbers: [10, 20] }]]],
  [
    'demo',
    'List the ships and then inspect the hull of the Bittern.',
    [
      ['list_ships', {}],
      ['inspect_hull', { ship: 'Bittern' }],
    ],
  ],
  [
    'demo',
    'List the ships and inspect the hull of Eider',
    [
      ['list_ships', {}],
      ['inspect_hull', { ship: 'Eider' }],
    ],
  ],
  ['everything', 'Echo "hello world. And then?"', [['echo', { message: 'hello world. And then?' }]]],
  ['everything', 'echo back hello there', [['echo', { message: 'hello there' }]]],
  ['everything', 'What is 2 plus 3?', [['get-sum', { a: 2, b: 3 }]]],
  ['everything', 'Please add -17 and 25.', [['get-sum', { a: -17, b: 25 }]]],
  ['everything', 'Get the sum of b=4 and a = 9', [['get-sum', { a: 9, b: 4 }]]],
  [
    'everything',
    'Give me the weather in Los Angeles as structured content',
    [['get-structured-content', { location: 'Los Angeles' }]],
  ],
  [
    'everything',
    'Show me an error message with an image, annotated',
    [['get-annotated-message', { messageType: 'error', includeImage: true }]],
  ],
  [
    'everything',
    'Get an annotated success message without image',
    [['get-annotated-message', { messageType: 'success', includeImage: false }]],
  ],
  ['everything', 'Print the environment variables', [['get-env', {}]]],
  ['everything', 'Give me 5 resource links', [['get-resource-links', { count: 5 }]]],
  [
    'everything',
    'Run a long operation with duration 3 seconds and 4 steps',
    [['trigger-long-running-operation', { duration: 3, steps: 4 }]],
  ],
  [
    'everything',
    'Simulate research about quantum computing',
    [['simulate-research-query', { topic: 'quantum computing' }]],
  ],
  ['filesystem', 'Read the file /tmp/notes.txt', [['read_file', { path: '/tmp/notes.txt' }]]],
  [
    'filesystem',
    'Show the last 10 lines of the text file /var/log/syslog',
    [['read_text_file', { path: '/var/log/syslog', tail: 10 }]],
  ],
  [
    'filesystem',
    'Write "hello world" to the file /tmp/out.txt',
    [['write_file', { path: '/tmp/out.txt', content: 'hello world' }]],
  ],
  [
    'filesystem',
    'List the directory /tmp with sizes sorted by size',
    [['list_directory_with_sizes', { path: '/tmp', sortBy: 'size' }]],
  ],
  [
    'filesystem',
    'Move /tmp/a.txt to /tmp/b.txt',
    [['move_file', { source: '/tmp/a.txt', destination: '/tmp/b.txt' }]],
  ],
  [
    'filesystem',
    'Search /tmp for files matching *.log',
    [['search_files', { path: '/tmp', pattern: '*.log' }]],
  ],
  [
    'filesystem',
    'Read multiple files: /a.txt, /b.txt and /c.txt',
    [['read_multiple_files', { paths: ['/a.txt', '/b.txt', '/c.txt'] }]],
  ],
  [
    'filesystem',
    'Create the directory /tmp/x, then write "hi" to the file /tmp/x/a.txt and then list the directory /tmp/x.',
    [
      ['create_directory', { path: '/tmp/x' }],
      ['write_file', { path: '/tmp/x/a.txt', content: 'hi' }],
      ['list_directory', { path: '/tmp/x' }],
    ],
  ],
  ['memory', 'Read the graph', [['read_graph', {}]]],
  ['memory', 'Search for Alice', [['search_nodes', { query: 'Alice' }]]],
  [
    'memory',
    'Create an entity named Alice of type person with the observation "likes tea"',
    [
      [
        'create_entities',
        { entities: [{ name: 'Alice', entityType: 'person', observations: ['likes tea'] }] },
      ],
    ],
  ],
  [
    'memory',
    'Create a relation from Alice to Bob of type knows',
    [['create_relations', { relations: [{ from: 'Alice', to: 'Bob', relationType: 'knows' }] }]],
  ],
  ['memory', 'Open the nodes Alice and Bob', [['open_nodes', { names: ['Alice', 'Bob'] }]]],
  [
    'memory',
    'Delete the entities Alice, Bob and Carol',
    [['delete_entities', { entityNames: ['Alice', 'Bob', 'Carol'] }]],
  ],
  [
    'office',
    'Send an email to bob@example.com with the subject "Lunch" and the body "See you at noon"',
    [['send_email', { to: 'bob@example.com', subject: 'Lunch', body: 'See you at noon' }]],
  ],
  [
    'office',
    'Email bob@example.com saying that I am late',
    [['send_email', { to: 'bob@example.com', body: 'I am late' }]],
  ],
  [
    'office',
    'Create a calendar event "Review" on 2026-12-01 at 2:30 pm for 45 minutes',
    [
      [
        'createCalendarEvent',
        { title: 'Review', date: '2026-12-01', startTime: '14:30', durationMinutes: 45 },
      ],
    ],
  ],
  [
    'office',
    'Create a calendar event titled "Standup" on March 3, 2027 with attendees Alice, Bob and Carol',
    [['createCalendarEvent', { title: 'Standup', date: '2027-03-03', attendees: ['Alice', 'Bob', 'Carol'] }]],
  ],
  [
    'office',
    'Search for issues matching "crash" in progress, labels bug and docs, at most 5 results',
    [
      [
        'jira.searchIssues',
        { query: 'crash', status: 'in_progress', labels: ['bug', 'docs'], maxResults: 5 },
      ],
    ],
  ],
  ['office', 'Get the issue PROJ-123', [['get_issue', { issueKey: 'PROJ-123' }]]],
  [
    'office',
    'Set the status of issue PROJ-7 to done',
    [['update_issue_status', { issueKey: 'PROJ-7', status: 'done' }]],
  ],
  [
    'office',
    'weather forecast for San Francisco for 3 days in metric units',
    [['get_weather', { city: 'San Francisco', days: 3, units: 'metric' }]],
  ],
  ['office', 'what is the weather in tokyo', [['get_weather', { city: 'tokyo' }]]],
  [
    'office',
    'Convert 1,250.50 from GBP to JPY',
    [['convert_currency', { amount: 1250.5, from: 'GBP', to: 'JPY' }]],
  ],
  [
    'office',
    'Search flights from JFK to SFO on 5 January 2027 for two passengers, direct only',
    [
      [
        'search_flights',
        { origin: 'JFK', destination: 'SFO', date: '2027-01-05', passengers: 2, directOnly: true },
      ],
    ],
  ],
  ['office', 'Fetch https://example.com/page?x=1.', [['fetch', { url: 'https://example.com/page?x=1' }]]],
  [
    'office',
    'Create a user named Dora with the email dora@example.com, age 31, admin true',
    [['create_user', { user: { name: 'Dora', email: 'dora@example.com', age: 31, admin: true } }]],
  ],
  [
    'office',
    'Get issue PROJ-1 and get issue PROJ-2. Then send an email to amy@example.com with body "done".',
    [
      ['get_issue', { issueKey: 'PROJ-1' }],
      ['get_issue', { issueKey: 'PROJ-2' }],
      ['send_email', { to: 'amy@example.com', body: 'done' }],
    ],
  ],
  ['office', 'Mark PROJ-9 as done', [['update_issue_status', { issueKey: 'PROJ-9', status: 'done' }]]],
  ['office', 'How is the weather in New York tomorrow?', [['get_weather', { city: 'New York' }]]],
  ['filesystem', 'Make a folder called /tmp/photos', [['create_directory', { path: '/tmp/photos' }]]],
  [
    'forge',
    'Create an issue titled "Crash on start" in the repo drydock of owner acme with labels bug, urgent',
    [
      [
        'create_issue',
        { owner: 'acme', repo: 'drydock', title: 'Crash on start', labels: ['bug', 'urgent'] },
      ],
    ],
  ],
  [
    'forge',
    'List commits in repo drydock, owner acme, page 2, 50 per page',
    [['list_commits', { owner: 'acme', repo: 'drydock', page: 2, perPage: 50 }]],
  ],
  [
    'forge',
    'Open a draft pull request "Fix tests" from branch fix-1 into main for owner acme repo drydock',
    [
      [
        'create_pull_request',
        { owner: 'acme', repo: 'drydock', title: 'Fix tests', head: 'fix-1', base: 'main', draft: true },
      ],
    ],
  ],
  [
    'forge',
    'Get the contents of README.md from owner acme, repo drydock on branch develop',
    [['get_file_contents', { owner: 'acme', repo: 'drydock', path: 'README.md', branch: 'develop' }]],
  ],
  [
    'forge',
    'Search repositories for model context protocol',
    [['search_repositories', { query: 'model context protocol' }]],
  ],
];

test.each(plans)('%s: %s', (fixture, prompt, expected) => {
  const { calls } = planFor(prompt, indexTools(tools[fixture]));
  expect(calls).toEqual(expected.map(([name, input]) => ({ name, arguments: input })));
});

describe('what is not stated is not made up', () => {
  test.each<[Fixture, string, string, object]>([
    ['demo', 'Inspect a hull', 'inspect_hull', {}],
    ['demo', 'Add the numbers', 'add_numbers', {}],
    ['filesystem', 'Read the text file', 'read_text_file', {}],
    ['office', 'Search flights to Rome', 'search_flights', { destination: 'Rome' }],
    ['office', 'Send an email with the subject "Hi"', 'send_email', { subject: 'Hi' }],
  ])('%s: %s', (fixture, prompt, name, input) => {
    expect(planFor(prompt, indexTools(tools[fixture])).calls).toEqual([{ name, arguments: input }]);
  });
});

describe('nothing is called', () => {
  test.each<[Fixture, string, string]>([
    ['demo', 'Hello!', 'no tool'],
    ['demo', 'What is the weather in Paris?', 'no tool'],
    ['demo', 'Tell me a joke about ships', 'list_ships and launch_ship match equally well'],
    ['demo', 'List the ships without using any tools', 'asks for no tools'],
    ['demo', 'Do not call tools. Which ships do you know?', 'asks for no tools'],
    ['everything', 'Write a poem about the sea', 'no tool'],
    ['filesystem', 'Write a poem about the sea', 'no tool'],
    ['filesystem', 'Who was the first person on the moon?', 'no tool'],
    ['memory', 'What is the capital of France?', 'no tool'],
    ['office', 'Who won the world cup in 1998?', 'no tool'],
    ['office', 'Thanks, that is all!', 'no tool'],
    ['office', '', 'no tool'],
  ])('%s: %s', (fixture, prompt, reason) => {
    const plan = planFor(prompt, indexTools(tools[fixture]));
    expect(plan.calls).toEqual([]);
    expect(plan.reason).toContain(reason);
  });

  test('without tools', () => {
    expect(planFor('List the ships', indexTools([])).calls).toEqual([]);
  });
});

test('one that must be called is, with what is stated', () => {
  const index = indexTools(tools.demo);
  expect(planFor('Albatross', index, { forced: 'inspect_hull' }).calls).toEqual([
    { name: 'inspect_hull', arguments: { ship: 'Albatross' } },
  ]);
  expect(planFor('Tell me a joke about ships', index, { forced: true }).calls).toHaveLength(1);
});
