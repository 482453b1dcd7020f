import type { AzureOpenAIProvider } from '@ai-sdk/azure';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Wire } from './built-in.ts';
import { modelFetch } from './outgoing.ts';
import type { ModelRoute } from './resolve.ts';

/** Libraries require a key even for a connection without one, and would otherwise read it from the environment. */
const noKey = 'none';

/** Creates the library's model for a route, without error handling. Loads the library on first use. */
export async function modelOverWire(route: ModelRoute): Promise<LanguageModelV3> {
  const { wire, baseUrl } = route;
  if (wire === 'rehearsal') return (await import('./rehearsal/model.ts')).rehearsalModel();
  if (baseUrl === undefined) throw new Error(`A route over ${wire} needs a base URL`);
  return libraries[wire]({ ...route, baseUrl }, { baseURL: baseUrl, fetch: modelFetch });
}

type Reached = ModelRoute & { baseUrl: string };
type Common = { baseURL: string; fetch: typeof modelFetch };

const libraries: Record<Wire, (route: Reached, common: Common) => Promise<LanguageModelV3>> = {
  anthropic: async (route, common) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ ...common, apiKey: keyOf(route) })(route.upstream);
  },
  'openai-responses': async (route, common) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ ...common, apiKey: keyOf(route) }).responses(route.upstream);
  },
  'openai-chat': async ({ credential, upstream }, common) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const apiKey = credential?.reveal();
    return createOpenAICompatible({
      name: 'openaiCompatible',
      ...common,
      ...(apiKey !== undefined && { apiKey }),
    })(upstream);
  },
  google: async (route, common) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ ...common, apiKey: keyOf(route) })(route.upstream);
  },
  'azure-responses': async (route, common) => (await azure(route, common)).responses(route.upstream),
  'azure-chat': async (route, common) => (await azure(route, common)).chat(route.upstream),
  bedrock: async (route, common) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const { aws, credential, upstream } = route;
    const accessKeyId = credential && aws?.accessKeyId;
    return createAmazonBedrock({
      ...common,
      // Explicit, so that the library reads nothing from the environment. An empty API key means signed requests.
      region: aws?.region ?? 'us-east-1',
      apiKey: accessKeyId === undefined ? keyOf(route) : '',
      ...(accessKeyId !== undefined && { accessKeyId, secretAccessKey: keyOf(route) }),
    })(upstream);
  },
};

async function azure(route: Reached, common: Common): Promise<AzureOpenAIProvider> {
  const { createAzure } = await import('@ai-sdk/azure');
  return createAzure({ ...common, apiKey: keyOf(route) });
}

function keyOf({ credential }: ModelRoute): string {
  return credential?.reveal() ?? noKey;
}
