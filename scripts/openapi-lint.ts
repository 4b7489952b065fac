// The rules that every OpenAPI document of the server keeps. They are few and strict, so that generated
// clients are typed and the API reference has no holes.

// biome-ignore lint/suspicious/noExplicitAny: a document is read by path
type Json = any

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const MAX_SUMMARY_CHARACTERS = 80

/** The faults of a document, each with its place; none when it keeps all rules. */
export function lintOpenapi(document: Json): string[] {
  const faults: string[] = []
  const fault = (place: string, text: string) => faults.push(`${place}: ${text}`)
  lintHead(document, fault)
  const operationIds = new Set<string>()
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const place = `${method.toUpperCase()} ${path}`
      if (!METHODS.includes(method)) fault(place, 'is not a method')
      if (operationIds.has(operation.operationId)) fault(place, 'operationId is used twice')
      operationIds.add(operation.operationId)
      lintOperation(path, operation, (text) => fault(place, text))
    }
  }
  lintUse(document, fault)
  visitSchemas(document, (schema, place) => lintSchema(schema, (text) => fault(place, text)))
  return faults
}

type Fault = (place: string, text: string) => void

function lintHead({ openapi, info, servers, tags }: Json, fault: Fault): void {
  if (openapi !== '3.1.0') fault('openapi', 'must be 3.1.0')
  for (const key of ['title', 'description', 'version', 'contact', 'license']) {
    if (!info?.[key]) fault(`info.${key}`, 'is missing')
  }
  if (!servers?.length) fault('servers', 'is missing')
  for (const { name, description } of tags ?? []) {
    if (!description) fault(`tag ${name}`, 'has no description')
  }
}

function lintOperation(path: string, operation: Json, fault: (text: string) => void): void {
  const { summary, description, tags, parameters = [], responses, security } = operation
  if (!summary || summary.endsWith('.')) fault('needs a summary without a full stop')
  if (summary?.length > MAX_SUMMARY_CHARACTERS) fault('has a summary that is too long')
  if (!description?.endsWith('.')) fault('needs a description of whole sentences')
  if (!tags?.length) fault('has no tag')
  if (security === undefined) fault('does not say whether it asks for credentials')
  const seen = new Set<string>()
  for (const { name, in: place, description, schema, required } of parameters) {
    if (seen.has(`${place} ${name}`)) fault(`has the parameter ${name} twice`)
    seen.add(`${place} ${name}`)
    if (!description) fault(`parameter ${name} has no description`)
    if (schema === undefined) fault(`parameter ${name} has no schema`)
    if (place === 'path' && (!required || !path.includes(`{${name}}`))) {
      fault(`path parameter ${name} is not in the path, or not required`)
    }
  }
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    if (!seen.has(`path ${name}`)) fault(`path parameter ${name} is not declared`)
  }
  const statuses = Object.keys(responses)
  if (!statuses.some((status) => status.startsWith('2'))) fault('has no successful response')
  if (!statuses.some((status) => status.startsWith('4'))) fault('has no 4xx response')
  for (const status of statuses) {
    if (!responses[status].description) fault(`response ${status} has no description`)
  }
}

/** Everything that is declared is used, and everything that is used is declared. */
function lintUse(document: Json, fault: Fault): void {
  const operations: Json[] = Object.values<Json>(document.paths).flatMap((one) =>
    Object.values(one),
  )
  const usedTags = new Set<string>(operations.flatMap(({ tags = [] }) => tags))
  const tags = new Set<string>((document.tags ?? []).map(({ name }: Json) => name))
  compare('tag', usedTags, tags, fault)
  const schemes = document.components?.securitySchemes ?? {}
  const usedSchemes = operations.flatMap(({ security = [] }) => security.flatMap(Object.keys))
  compare('security scheme', new Set(usedSchemes), new Set(Object.keys(schemes)), fault)
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  const schemas = new Set(Object.keys(document.components?.schemas ?? {}))
  compare('schema', new Set(refs.map(([, name]) => name!)), schemas, fault)
}

function compare(what: string, used: Set<string>, declared: Set<string>, fault: Fault): void {
  for (const name of used) if (!declared.has(name)) fault(`${what} ${name}`, 'is not declared')
  for (const name of declared) if (!used.has(name)) fault(`${what} ${name}`, 'is not used')
}

/** Hex digits repeated one by one, so that an odd number of them matches. */
const ODD_HEX = /\[[0-9a-fA-F-]*(?:a-f|A-F)[0-9a-fA-F-]*\](?:[+*]|\{\d*[13579](?:,|\})|\{\d+,\d*\})/

function lintSchema(schema: Json, fault: (text: string) => void): void {
  const { type, pattern, properties, additionalProperties, $comment = '' } = schema
  if (pattern !== undefined) {
    if (!isPattern(pattern)) fault(`${pattern} is not a regular expression`)
    else if (/a-f|A-F/.test(pattern) && !/G-Z|g-z/.test(pattern) && ODD_HEX.test(pattern)) {
      fault(`${pattern} matches an odd number of hex digits`)
    }
  }
  // An open object leaves generated clients untyped; a comment has to say why it is open.
  if ($comment.startsWith('Open:')) return
  if (additionalProperties === true) fault('is an object with any properties')
  const isEmpty = Object.keys(properties ?? {}).length === 0
  if (type === 'object' && isEmpty && !additionalProperties && !schema.patternProperties) {
    fault('is an object without properties')
  }
  if (Object.keys(schema).length === 0) fault('is a schema of anything')
}

function isPattern(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

/** Calls `visit` with every schema of a document and its place. */
function visitSchemas(document: Json, visit: (schema: Json, place: string) => void): void {
  const walk = (schema: Json, place: string): void => {
    visit(schema, place)
    for (const [name, one] of Object.entries(schema.properties ?? {})) walk(one, `${place}.${name}`)
    for (const [name, one] of Object.entries(schema.patternProperties ?? {})) {
      walk(one, `${place}.${name}`)
    }
    for (const key of ['items', 'additionalProperties']) {
      if (typeof schema[key] === 'object') walk(schema[key], `${place}.${key}`)
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      for (const [i, one] of (schema[key] ?? []).entries()) walk(one, `${place}.${key}.${i}`)
    }
  }
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    walk(schema, name)
  }
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const place = `${method.toUpperCase()} ${path}`
      for (const { name, schema } of operation.parameters ?? []) walk(schema, `${place} ${name}`)
      for (const one of Object.values<Json>(operation.requestBody?.content ?? {})) {
        walk(one.schema, `${place} body`)
      }
      for (const [status, { content = {} }] of Object.entries<Json>(operation.responses)) {
        for (const one of Object.values<Json>(content)) walk(one.schema, `${place} ${status}`)
      }
    }
  }
}
