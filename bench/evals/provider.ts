import { callThenAnswer, startProvider } from '../../test/support/scripted-provider.ts';

/** A model provider in a process of its own: calls the tool of the bench, then answers, each after a while. */
const latencyMs = Number(process.argv[2] ?? 50);
const calls = callThenAnswer({ name: 'echo', input: { message: 'ahoy' } }, 'The server said ahoy.');
const provider = await startProvider((request) => ({ ...calls(request), latencyMs }), { keep: 0 });
console.log(`Provider ${provider.url}`);
