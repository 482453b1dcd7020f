import { startProvider } from '../../test/support/scripted-provider.ts';

/** A model provider in a process of its own that answers after a while. */
const latencyMs = Number(process.argv[2] ?? 50);
const text = 'Three ships are in the drydock: Albatross, Bittern and Cormorant.';
const provider = await startProvider(() => ({ text, latencyMs }), { keep: 0 });
console.log(`Provider ${provider.url}`);
