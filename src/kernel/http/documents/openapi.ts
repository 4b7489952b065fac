import type { RejectionCode } from '../../protocol/rejection.ts'
import { appCodesOf, ERRORS, type ErrorShape, errorRow } from '../errors.ts'
import { mediaTypesOf } from '../input/body.ts'
import type { JsonSchema, ParamSpecs } from '../input/params.ts'
import { namesOf } from '../input/query.ts'
import { type BodySpec, credentialsOf, type RouteSpec } from '../route.ts'

type DocumentOptions = {
  title: string
  description: string
  version: string
  errors: ErrorShape
  /** Whether protected routes require credentials. */
  authenticated: boolean
  /** Codes that every route of the interface may answer. */
  everywhere?: readonly RejectionCode[]
}

/** The OpenAPI 3.1 document of routes. Schemas with an `$id` are defined once and referenced. */
export function describeRoutes(specs: readonly RouteSpec[], options: DocumentOptions): object {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const spec of specs) {
    const path = spec.path.replace(/:(\w+)/g, '{$1}')
    const operations = paths[path] ?? {}
    operations[spec.method.toLowerCase()] = operation(spec, options, schemas)
    paths[path] = operations
  }
  const tags = new Map(specs.flatMap(({ tags = [] }) => tags.map((tag) => [tag.name, tag])))
  const used = new Set(specs.flatMap((spec) => securityOf(spec, options).flatMap(Object.keys)))
  const securitySchemes = Object.fromEntries([...used].map((name) => [name, SCHEMES[name]]))
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      description: `${options.description}\n\n${PARAMETERS_NOTE}`,
      version: options.version,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: [...tags.values()],
    paths,
    components: { schemas, ...(used.size > 0 && { securitySchemes }) },
  }
}

const SCHEMES: Record<string, object> = {
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
}

const PARAMETERS_NOTE =
  'Every query parameter is accepted in snake_case and in camelCase. An empty value counts as missing. ' +
  'A list may be repeated or separated by commas, any other parameter is given once. Unknown parameters are ignored.'

function operation(
  spec: RouteSpec,
  options: DocumentOptions,
  schemas: Record<string, unknown>,
): object {
  return {
    summary: spec.summary,
    description: spec.description,
    tags: spec.tags?.map(({ name }) => name),
    operationId: `${spec.method.toLowerCase()}${spec.path.replace(/[^A-Za-z0-9]+/g, '_')}`,
    parameters: [...parameters(spec.params, 'path'), ...parameters(spec.query, 'query')],
    requestBody: spec.body && {
      description: spec.body.description,
      required: true,
      content: contentOf(spec.body, schemas),
    },
    responses: responses(spec, options, schemas),
    security: securityOf(spec, options),
  }
}

/** The same content in each of its encodings. */
function contentOf(body: BodySpec, schemas: Record<string, unknown>): object {
  const content = { schema: named(body.documented ?? body.schema, schemas) }
  return Object.fromEntries(mediaTypesOf(body).map((type) => [type, content]))
}

const isSecured = (spec: RouteSpec, { authenticated }: DocumentOptions): boolean =>
  spec.callers === 'credentials' && authenticated

/** The authentication schemes, any of which suffices; none when no credentials are required. */
function securityOf(spec: RouteSpec, options: DocumentOptions): Record<string, string[]>[] {
  if (isSecured(spec, options)) return [{ basic: [] }]
  if (spec.callers === 'operator') return [{ bearer: [] }, { basic: [] }]
  const { key, token } = credentialsOf(spec)
  const without = key && { key: [] }
  if (!token) return without ? [without] : []
  const withToken = { ...without, bearer: [] }
  return token === 'optional' ? [{ ...without }, withToken] : [withToken]
}

const parameters = (specs: ParamSpecs = {}, place: 'path' | 'query'): object[] =>
  Object.entries(specs).map(([name, param]) => {
    const isRequired = place === 'path' || param.absent === undefined
    return {
      name,
      in: place,
      required: isRequired,
      // An empty value counts as missing, which matters only for required parameters.
      ...(place === 'query' && !isRequired && { allowEmptyValue: true }),
      description: describeParameter(namesOf(name, param).slice(1), param.description),
      schema: param.schema,
    }
  })

function describeParameter(otherNames: string[], description: string | undefined) {
  const names = otherNames.map((name) => `\`${name}\``).join(', ')
  const also = names === '' ? undefined : `Also accepted as ${names}.`
  return [description, also].filter(Boolean).join(' ') || undefined
}

function responses(
  spec: RouteSpec,
  options: DocumentOptions,
  schemas: Record<string, unknown>,
): object {
  const status = spec.status ?? 200
  const type = spec.contentType ?? 'application/json'
  const success = {
    description: status === 204 ? 'Done; the answer has no body.' : 'Success',
    content: status === 204 ? undefined : { [type]: { schema: named(spec.reply, schemas) } },
  }
  const refusals = new Map<number, Map<RejectionCode, string>>()
  const add = (status: number, code: RejectionCode, title: string) =>
    refusals.set(status, (refusals.get(status) ?? new Map()).set(code, title))
  for (const code of codesOf(spec, options)) add(errorRow(code).status, code, errorRow(code).title)
  for (const { status, code, title } of BELOW_ROUTES) add(status, code, title)
  const described = [...refusals].map(([status, titles]): [number, object] => {
    const schema = refusalSchema([...titles.keys()], options.errors)
    const other = spec.otherReplies?.[status]
    return [
      status,
      {
        description: [...titles].map(([code, title]) => `${title} (\`${code}\`)`).join(' · '),
        content: {
          'application/json': {
            schema: named(other === undefined ? schema : { anyOf: [other, schema] }, schemas),
          },
        },
      },
    ]
  })
  return { [status]: success, ...Object.fromEntries(described) }
}

/** Answers that Node gives before a route is known; see `socketRefusal`. */
const BELOW_ROUTES = [
  { status: 408, code: 'bad_request.parse_failure', title: 'The request did not arrive in time' },
  { status: 431, code: 'bad_request.too_large', title: 'The URL and the headers are too large' },
] as const

/** The error body, with only the codes that one status of a route may have. */
function refusalSchema(codes: readonly RejectionCode[], shape: ErrorShape): object {
  const spelled = codes.flatMap((code) => {
    if (shape === 'app') return appCodesOf(code)
    return shape === 'hub' ? (errorRow(code).hubCode ?? code) : code
  })
  const code = { enum: [...new Set(spelled)] }
  const own = { type: 'object', properties: { [shape === 'hub' ? 'errCode' : 'code']: code } }
  return { allOf: [errorSchema(shape), own] }
}

/** The errors of a route: the declared ones and those that follow from its declaration. */
function codesOf(spec: RouteSpec, options: DocumentOptions): Set<RejectionCode> {
  const codes = new Set<RejectionCode>([...spec.errors, ...(options.everywhere ?? [])])
  const takesParameters = [spec.query, spec.params].some((specs) => Object.keys(specs ?? {})[0])
  if (takesParameters) {
    codes.add('bad_request.parse_failure')
    codes.add('bad_request.invalid_param')
    codes.add('bad_request.validation_failure')
  }
  const { body } = spec
  if (body !== undefined) {
    codes.add('bad_request.parse_failure')
    codes.add('bad_request.too_large')
    codes.add('bad_request.too_slow')
    codes.add('bad_request.unsupported_media_type')
    codes.add('unavailable.overloaded')
    if (body.kind !== 'octets' && !body.unchecked) codes.add('bad_request.validation_failure')
  }
  if (isSecured(spec, options) || credentialsOf(spec).key) codes.add('unauthenticated')
  if (spec.limit !== undefined) codes.add('rate_limited')
  return codes.add('internal_error').add('unavailable')
}

/** A schema as written in the document, with every `$id` inside it replaced by a reference. */
function named(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => named(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, ...rest } = schema as JsonSchema
  if (typeof $id === 'string' && $id in schemas) return refTo($id)
  if (typeof $id === 'string') schemas[$id] = {} // a schema may contain itself
  const entries = Object.entries(rest).map(([key, value]) => [key, named(value, schemas)])
  if (typeof $id !== 'string') return Object.fromEntries(entries)
  schemas[$id] = Object.fromEntries(entries)
  return refTo($id)
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const text = { type: 'string' }
const message = { ...text, description: 'The reason, for people.' }
const codeNames = Object.keys(ERRORS)
const extras = {
  field: { ...text, description: 'The field at fault.' },
  requestId: { ...text, description: 'The id of the request, also in the log of the server.' },
}
const code = { enum: codeNames, description: 'The reason, for programs.' }

/** The lint requires a reason for an object without declared properties. */
const OPEN = 'Open: the properties depend on the reason.'

const ERROR_SCHEMAS: Record<ErrorShape, object> = {
  hub: {
    errCode: { ...text, description: 'The reason, for programs.' },
    presentable: { const: false },
    name: { const: 'HubError' },
    code: { type: 'integer', description: 'The gRPC status number.' },
    details: message,
    metadata: {
      type: 'object',
      required: ['errcode'],
      properties: { errcode: { type: 'array', items: text } },
    },
    error: { ...text, description: 'The title of the code.' },
    errorDetail: message,
    message,
    ...extras,
  },
  registry: {
    error: { ...text, description: '`Validation failure` for every rule of names.' },
    code,
    message,
    ...extras,
  },
  platform: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: text,
          reason: { ...text, description: 'The rule that was broken, for programs.' },
          data: { type: 'object', description: 'More about the reason.', $comment: OPEN },
          instancePath: { ...text, description: 'The path of the property at fault.' },
          schemaPath: { ...text, description: 'The path of the keyword in the schema.' },
          keyword: { ...text, description: 'The keyword of JSON Schema that was broken.' },
          params: { type: 'object', description: 'The values of the keyword.', $comment: OPEN },
        },
      },
    },
    code,
    ...extras,
  },
  app: {
    code: { ...text, description: 'The reason, for programs.' },
    message,
    status: { type: 'integer', description: 'The status of the answer.' },
    property: { ...text, description: 'The parameter or the field of the body at fault.' },
    requestId: extras.requestId,
  },
  plain: { error: code, code, message, ...extras },
}

/** The property of an error body that names the parameter at fault, which is missing in other errors. */
const FIELD_NAMES = ['field', 'property']

/** The error body of an interface, as a schema named `Error`. */
export function errorSchema(shape: ErrorShape): JsonSchema {
  const properties = ERROR_SCHEMAS[shape]
  const required = Object.keys(properties).filter((key) => !FIELD_NAMES.includes(key))
  return { $id: 'Error', type: 'object', required, properties }
}
