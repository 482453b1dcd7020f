import type { Access } from '../../contract/operation.ts';

/** The part of OpenAPI 3.1 that the contract needs. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    securitySchemes: Record<string, Record<string, string>>;
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseObject>;
  };
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: [];
  deprecated?: boolean;
  'x-drydock-access': Access;
  'x-drydock-spends'?: true;
  parameters?: Parameter[];
  requestBody?: { required: boolean; description?: string; content: Content };
  responses: Record<string, ResponseObject | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface ResponseObject {
  description: string;
  headers: Record<string, { description: string; schema: Schema }>;
  content: Content;
}

/** By media type. */
type Content = Record<string, MediaType>;

export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Reference {
  $ref: string;
}

/** JSON Schema as zod writes it. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  deprecated?: boolean;
  type?: string | string[];
  format?: string;
  contentMediaType?: string;
  contentSchema?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
