import type { Declared } from '../contract/readiness-declared.ts';
import type { ToolFacts } from './tool-facts.ts';

/**
 * A part of the evidence, or the reason it is missing. A check reads the value only after `known`, so missing evidence
 * cannot pass.
 */
export type Known<T> = { known: true; value: T } | Unknown;

export interface Unknown {
  known: false;
  reason: string;
  /** The input that would make it known. */
  missing?: string;
}

export const known = <T>(value: T): Known<T> => ({ known: true, value });

export function unknown(reason: string, missing?: string): Unknown {
  return { known: false, reason, ...(missing !== undefined && { missing }) };
}

export interface EndpointFacts {
  /** Query values are removed. */
  url: string;
  secure: boolean;
  host: string;
  /** The reason the URL is not publicly reachable, if it is not. */
  notPublic?: string;
  /** Parts of the URL that hold credentials: `user info`, or names of query parameters. */
  credentials: string[];
  /** Whether the URL is a tunnel URL of this service. */
  tunnel: boolean;
}

export interface RedirectFacts {
  hops: { url: string; secure: boolean; status: number }[];
  ended: 'answer' | 'loop' | 'too-many' | 'refused' | 'unusable';
  /** The reason the redirects did not end in an answer. */
  problem?: string;
}

/** The answer to a request without credentials. */
export interface ChallengeFacts {
  status: number;
  /** The answer is a valid MCP response. */
  answered: boolean;
  scheme?: string;
  resourceMetadataUrl?: string;
}

export interface ResourceMetadataFacts {
  url: string;
  resource: string;
  authorizationServers: string[];
  scopes: string[];
}

export interface AuthorizationServerFacts {
  issuer: string;
  authorizationEndpoint?: string;
  tokenEndpoint?: string;
  registrationEndpoint?: string;
  challengeMethods: string[];
  tokenAuthMethods: string[];
  grantTypes: string[];
  clientMetadataDocuments: boolean;
  scopes: string[];
}

/** A well-known document, or the reason it is not usable. */
export type Published<T> = ({ published: true } & T) | { published: false; problem: string };

export type SessionFacts =
  | {
      open: true;
      protocolVersion: string;
      transport: string;
      serverName: string;
      capabilities: string[];
      instructions: boolean;
    }
  | { open: false; problem: string };

export interface UiFacts {
  uri: string;
  tools: string[];
  /** The reason the interface could not be read. */
  problem?: string;
  mimeType: string;
  /** The declared origins; undefined without a declaration. */
  csp?: { connect: string[]; resource: string[]; frame: string[] };
  domain?: string;
  /** Origins found in the page. */
  origins: string[];
}

export interface SkillFacts {
  names: string[];
  rejected: string[];
}

export interface Evidence {
  endpoint: EndpointFacts;
  redirects: Known<RedirectFacts>;
  challenge: Known<ChallengeFacts>;
  resourceMetadata: Known<Published<ResourceMetadataFacts>>;
  authorizationServer: Known<Published<AuthorizationServerFacts> & { issuerMismatch?: boolean }>;
  /** Whether the server accepts a request with a foreign `Origin` that it accepts without one. */
  foreignOrigin: Known<{ accepted: boolean; status: number }>;
  session: Known<SessionFacts>;
  tools: Known<ToolFacts[]>;
  resources: Known<number>;
  prompts: Known<number>;
  ui: Known<UiFacts[]>;
  /** Whether the server's skills are submitted with it. */
  importsSkills: boolean;
  skills: Known<SkillFacts>;
  /** The response at the well-known path where OpenAI looks for its verification token. */
  domainChallenge: Known<{ status: number; token: string }>;
  /** The difference between the tools and the saved baseline; null without a baseline. */
  baseline: Known<{ same: boolean; breaking: number; risky: number } | null>;
  registration: Known<{ status: number; registered: boolean }>;
  calls: Known<{ tool: string; problem?: string }[]>;
  declared: Declared;
}
