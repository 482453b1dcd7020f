import type { Declared } from '../contract/readiness-declared.ts';
import type { ToolFacts } from './tool-facts.ts';

/**
 * A part of what was gathered: there, or why not. A check gets at the value only by way of `known`, so that what was not
 * looked at cannot pass.
 */
export type Known<T> = { known: true; value: T } | Unknown;

export interface Unknown {
  known: false;
  reason: string;
  /** What would let it be looked at. */
  missing?: string;
}

export const known = <T>(value: T): Known<T> => ({ known: true, value });

export function unknown(reason: string, missing?: string): Unknown {
  return { known: false, reason, ...(missing !== undefined && { missing }) };
}

/** What the saved address alone tells. */
export interface EndpointFacts {
  /** Without what its query holds. */
  url: string;
  secure: boolean;
  host: string;
  /** Why others do not reach it; undefined when they may. */
  notPublic?: string;
  /** Parts of it that hold credentials: `user info`, or names of fields of the query. */
  credentials: string[];
  /** Whether the address leads through a tunnel of this service. */
  tunnel: boolean;
}

export interface RedirectFacts {
  /** Where the request went, in order. */
  hops: { url: string; secure: boolean; status: number }[];
  ended: 'answer' | 'loop' | 'too-many' | 'refused' | 'unusable';
  /** Why it went no further. */
  problem?: string;
}

/** What came to a request without credentials. */
export interface ChallengeFacts {
  status: number;
  /** Answered as an MCP server does. */
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

/** A document that was looked for: there, or why it is not usable. */
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
  /** Why it could not be read. */
  problem?: string;
  mimeType: string;
  /** The origins it declares; undefined when it declares none at all. */
  csp?: { connect: string[]; resource: string[]; frame: string[] };
  domain?: string;
  /** Origins that its page names. */
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
  /** Whether a request from a page of somebody else is refused, while the same without its `Origin` is answered. */
  foreignOrigin: Known<{ accepted: boolean; status: number }>;
  session: Known<SessionFacts>;
  tools: Known<ToolFacts[]>;
  resources: Known<number>;
  prompts: Known<number>;
  ui: Known<UiFacts[]>;
  /** Whether skills of the server are submitted with it. */
  importsSkills: boolean;
  skills: Known<SkillFacts>;
  /** What is served where OpenAI looks for its token. */
  domainChallenge: Known<{ status: number; token: string }>;
  /** How the tools differ from the saved baseline; null when none is saved. */
  baseline: Known<{ same: boolean; breaking: number; risky: number } | null>;
  registration: Known<{ status: number; registered: boolean }>;
  calls: Known<{ tool: string; problem?: string }[]>;
  declared: Declared;
}
