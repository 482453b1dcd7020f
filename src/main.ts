#!/usr/bin/env node
import { loadConfig } from './platform/config/load.ts';
import { openServices, startService } from './service.ts';
import { runCli } from './surfaces/cli/run.ts';

await runCli(process.argv, {
  load: () => loadConfig(),
  serve: (config, options) => startService(config, options),
  withServices: async (work) => {
    const services = await openServices(loadConfig().config, { exclusive: false });
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  },
});
