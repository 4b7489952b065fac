// The rules that every OpenAPI document of the server keeps, so that generated clients are typed and the API
// reference has no holes. Redocly checks them; rules of our own are a plugin.
import { createConfig, lintFromString, type Oas3Rule } from '@redocly/openapi-core'

const MAX_SUMMARY_CHARACTERS = 80
const BUILT_IN = [
  'struct',
  'no-unresolved-refs',
  'no-unused-components',
  'no-empty-servers',
  'info-contact',
  'info-license',
  'tag-description',
  'operation-tag-defined',
  'operation-operationId',
  'operation-operationId-unique',
  'operation-2xx-response',
  'operation-4xx-response',
  'operation-parameters-unique',
  'parameter-description',
  'path-parameters-defined',
  'security-defined',
]
const OWN: Readonly<Record<string, Oas3Rule>> = {
  'unused-tags': unusedTags,
  'required-path-parameters': requiredPathParameters,
  schemas,
}
const errors = (names: readonly string[]) => names.map((name) => [name, 'error'] as const)
/** A rule for a property of every operation. */
const ofOperations = (property: string, assertions: object) => ({
  subject: { type: 'Operation', property },
  assertions: { defined: true, ...assertions },
})

const config = createConfig({
  plugins: [{ id: 'rookery', rules: { oas3: OWN } }],
  rules: {
    ...Object.fromEntries(errors(BUILT_IN)),
    ...Object.fromEntries(errors(Object.keys(OWN).map((name) => `rookery/${name}`))),
    'rule/version': {
      subject: { type: 'Root', property: 'openapi' },
      assertions: { const: '3.1.0' },
    },
    'rule/info': { subject: { type: 'Info' }, assertions: { required: ['description'] } },
    'rule/summary': ofOperations('summary', {
      maxLength: MAX_SUMMARY_CHARACTERS,
      notPattern: '/\\.$/',
    }),
    'rule/description': ofOperations('description', { pattern: '/\\.$/' }),
    'rule/tags': ofOperations('tags', { minLength: 1 }),
  },
})

/** The faults of a document, each with its place; none when it keeps all rules. */
export async function lintOpenapi(document: object): Promise<string[]> {
  const source = JSON.stringify(document)
  const found = await lintFromString({
    source,
    absoluteRef: '/openapi.json',
    config: await config,
  })
  return found.map(({ message, location: [at] }) => `${at?.pointer}: ${message}`)
}

function unusedTags(): ReturnType<Oas3Rule> {
  const used = new Set<string>()
  return {
    Operation({ tags = [] }) {
      for (const tag of tags) used.add(tag)
    },
    Root: {
      leave({ tags = [] }, { report }) {
        for (const { name } of tags) {
          if (!used.has(name)) report({ message: `tag ${name} is not used` })
        }
      },
    },
  }
}

function requiredPathParameters(): ReturnType<Oas3Rule> {
  return {
    Parameter({ in: place, name, required }, { report }) {
      if (place === 'path' && !required) report({ message: `${name} is not required` })
    },
  }
}

function schemas(): ReturnType<Oas3Rule> {
  return {
    Schema(schema, { report }) {
      for (const message of schemaFaults(schema)) report({ message })
    },
  }
}

/** Hex digits repeated one by one, so that an odd number of them matches. */
const ODD_HEX = /\[[0-9a-fA-F-]*(?:a-f|A-F)[0-9a-fA-F-]*\](?:[+*]|\{\d*[13579](?:,|\})|\{\d+,\d*\})/

// biome-ignore lint/suspicious/noExplicitAny: keywords of JSON Schema that the type lacks
function* schemaFaults(schema: any): Generator<string> {
  const { type, pattern, properties, additionalProperties, $comment = '' } = schema
  if (pattern !== undefined) {
    if (!isPattern(pattern)) yield `${pattern} is not a regular expression`
    else if (/a-f|A-F/.test(pattern) && !/G-Z|g-z/.test(pattern) && ODD_HEX.test(pattern)) {
      yield `${pattern} matches an odd number of hex digits`
    }
  }
  // An open object leaves generated clients untyped; a comment has to say why it is open.
  if ($comment.startsWith('Open:')) return
  if (additionalProperties === true) yield 'it is an object with any properties'
  const isEmpty = Object.keys(properties ?? {}).length === 0
  if (type === 'object' && isEmpty && !additionalProperties && !schema.patternProperties) {
    yield 'it is an object without properties'
  }
  if (Object.keys(schema).length === 0) yield 'it is a schema of anything'
}

function isPattern(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}
