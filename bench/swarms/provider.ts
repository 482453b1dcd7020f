import { playing } from '../../test/support/journeys.ts';
import { startProvider } from '../../test/support/scripted-provider.ts';

/** A model provider in a process of its own that plays persona and agent, and answers after a while. */
const latencyMs = Number(process.argv[2] ?? 50);
const provider = await startProvider(playing({ latencyMs }), { keep: 0 });
console.log(`Provider ${provider.url}`);
