import type { RejectionCode } from '../protocol/rejection.ts'
import { mediaTypeOf } from './body.ts'
import { ERRORS, type ErrorShape, errorRow } from './errors.ts'
import type { JsonSchema, ParamSpecs } from './params.ts'
import { namesOf } from './query.ts'
import type { RouteSpec } from './route.ts'

type DocumentOptions = {
  title: string
  description: string
  version: string
  errors: ErrorShape
  /** Whether protected routes ask for credentials. */
  authenticated: boolean
}

/** The OpenAPI 3.1 document of some routes. Schemas with an `$id` are named once and referred to. */
export function describeRoutes(specs: readonly RouteSpec[], options: DocumentOptions): object {
  const schemas: Record<string, unknown> = { Error: errorSchema(options.errors) }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const spec of specs) {
    const path = spec.path.replace(/:(\w+)/g, '{$1}')
    const operations = paths[path] ?? {}
    operations[spec.method.toLowerCase()] = operation(spec, options, schemas)
    paths[path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      description: `${options.description}\n\n${PARAMETERS_NOTE}`,
      version: options.version,
    },
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  }
}

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
}

const PARAMETERS_NOTE =
  'Every query parameter is accepted in snake_case and in camelCase. An empty value counts as missing, ' +
  'the first of a repeated parameter counts, unknown parameters are ignored.'

function operation(
  spec: RouteSpec,
  options: DocumentOptions,
  schemas: Record<string, unknown>,
): object {
  const secured = spec.protected === true && options.authenticated
  return {
    summary: spec.summary,
    description: spec.description,
    tags: spec.tags,
    operationId: `${spec.method.toLowerCase()}${spec.path.replace(/[^A-Za-z0-9]+/g, '_')}`,
    parameters: [...parameters(spec.params, 'path'), ...parameters(spec.query, 'query')],
    requestBody: spec.body && {
      description: spec.body.description,
      required: true,
      content: { [mediaTypeOf(spec.body)]: { schema: named(spec.body.schema, schemas) } },
    },
    responses: responses(spec, secured, schemas),
    security: securityOf(spec, secured),
  }
}

/** Whoever can be refused for lack of a token may send one. */
function securityOf({ errors, isTokenOptional }: RouteSpec, secured: boolean) {
  if (secured) return [{ basic: [] }]
  if (!errors?.includes('unauthenticated')) return undefined
  return isTokenOptional ? [{}, { bearer: [] }] : [{ bearer: [] }]
}

const parameters = (specs: ParamSpecs = {}, place: 'path' | 'query'): object[] =>
  Object.entries(specs).map(([name, param]) => ({
    name,
    in: place,
    required: place === 'path' || param.absent === undefined,
    description: describeParameter(namesOf(name, param).slice(1), param.description),
    schema: param.schema,
  }))

function describeParameter(otherNames: string[], description: string | undefined) {
  const names = otherNames.map((name) => `\`${name}\``).join(', ')
  const also = names === '' ? undefined : `Also accepted as ${names}.`
  return [description, also].filter(Boolean).join(' ') || undefined
}

function responses(spec: RouteSpec, secured: boolean, schemas: Record<string, unknown>): object {
  const status = spec.status ?? 200
  const type = spec.contentType ?? 'application/json'
  const success = {
    description: 'Success',
    content: status === 204 ? undefined : { [type]: { schema: named(spec.reply, schemas) } },
  }
  const failures = new Map<number, string[]>()
  for (const code of codesOf(spec, secured)) {
    const { status, title } = errorRow(code)
    failures.set(status, [...(failures.get(status) ?? []), `${title} (\`${code}\`)`])
  }
  const described = [...failures].map(([status, texts]) => [
    status,
    { description: texts.join(' · '), content: ERROR_CONTENT },
  ])
  return { [status]: success, ...Object.fromEntries(described) }
}

const ERROR_CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

/** What a route can answer besides success: what it declares and what follows from its declaration. */
function codesOf(spec: RouteSpec, secured: boolean): Set<RejectionCode> {
  const codes = new Set<RejectionCode>(spec.errors)
  if (spec.query !== undefined || spec.params !== undefined) codes.add('bad_request.invalid_param')
  if (spec.body !== undefined) {
    codes.add('bad_request.parse_failure')
    codes.add('bad_request.too_large')
    codes.add('bad_request.unsupported_media_type')
  }
  if (secured) codes.add('unauthenticated')
  if (spec.limit !== undefined) codes.add('rate_limited')
  return codes.add('internal_error')
}

/** A schema as it stands in the document, with every `$id` inside it moved to the named ones. */
function named(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, ...rest } = schema as JsonSchema
  const entries = Object.entries(rest).map(([key, value]) => [key, named(value, schemas)])
  if (typeof $id !== 'string') return Object.fromEntries(entries)
  schemas[$id] = Object.fromEntries(entries)
  return { $ref: `#/components/schemas/${$id}` }
}

const text = { type: 'string' }
const codeNames = Object.keys(ERRORS)
const extras = { field: text, requestId: text }

const ERROR_SCHEMAS: Record<ErrorShape, object> = {
  hub: {
    errCode: text,
    presentable: { const: false },
    name: { const: 'HubError' },
    code: { type: 'integer', description: 'The gRPC status number' },
    details: text,
    metadata: { type: 'object', properties: { errcode: { type: 'array', items: text } } },
    error: text,
    errorDetail: text,
    message: text,
    ...extras,
  },
  registry: { error: text, code: text, message: text, ...extras },
  platform: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: text,
          reason: { ...text, description: 'A rule that was broken, for programs.' },
          data: { type: 'object', description: 'More about the reason.' },
          instancePath: { ...text, description: 'The property that is meant.' },
          schemaPath: text,
          keyword: { ...text, description: 'Of JSON Schema: what the property should have been.' },
          params: { type: 'object', description: 'What the keyword asks for.' },
        },
      },
    },
    code: { enum: codeNames },
    ...extras,
  },
  plain: { error: { enum: codeNames }, code: { enum: codeNames }, message: text, ...extras },
}

function errorSchema(shape: ErrorShape): object {
  const properties = ERROR_SCHEMAS[shape]
  const required = Object.keys(properties).filter((key) => key !== 'field')
  return { type: 'object', required, properties }
}
