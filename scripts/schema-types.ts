// JSON Schemas of our OpenAPI documents as TypeScript types.

// biome-ignore lint/suspicious/noExplicitAny: schemas are read by keyword
type Schema = any

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The type of the values that a schema accepts. Names of schemas that it refers to are added to `used`. */
export function typeOf(schema: Schema, used: Set<string>, pad: string): string {
  if (schema.$ref !== undefined) return referred(schema.$ref, used)
  const parts = partsOf(schema, used, pad)
  return parts.length === 0 ? 'unknown' : parts.join(' & ')
}

function referred(reference: string, used: Set<string>): string {
  const name = reference.replace('#/components/schemas/', '')
  used.add(name)
  return name
}

/** What each keyword says, all of which a value must be. */
function partsOf(schema: Schema, used: Set<string>, pad: string): string[] {
  if ('const' in schema) return [JSON.stringify(schema.const)]
  if (schema.enum) return [union(schema.enum.map((value: unknown) => JSON.stringify(value)))]
  const of = (one: Schema) => typeOf(one, used, pad)
  const parts: string[] = (schema.allOf ?? []).map(of)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) parts.push(union(alternatives.map(of)))
  if (schema.type !== undefined) {
    const types = [schema.type].flat()
    parts.push(union(types.map((type) => plainType(type, schema, used, pad))))
  }
  return parts.filter((part) => part !== 'unknown')
}

/** One type, or several in parentheses: "&" and "[]" bind tighter than "|". */
function union(types: readonly string[]): string {
  const different = [...new Set(types)]
  if (different.includes('unknown')) return 'unknown'
  return different.length === 1 ? different[0]! : `(${different.join(' | ')})`
}

function plainType(type: string, schema: Schema, used: Set<string>, pad: string): string {
  if (type === 'array') return `Array<${typeOf(schema.items ?? {}, used, pad)}>`
  return type === 'object' ? objectType(schema, used, pad) : PRIMITIVES[type]!
}

function objectType(schema: Schema, used: Set<string>, pad: string): string {
  const properties = Object.entries<Schema>(schema.properties ?? {})
  if (properties.length === 0) return recordType(schema, used, pad)
  const inner = `${pad}  `
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const type = typeOf(property, used, inner)
    return `${commentOf(property.description, inner)}${inner}${propertyName(name)}${mark}: ${type}\n`
  })
  return `{\n${lines.join('')}${pad}}`
}

/** An object whose keys are data. */
function recordType(schema: Schema, used: Set<string>, pad: string): string {
  const [pattern] = Object.values<Schema>(schema.patternProperties ?? {})
  const values = pattern ?? schema.additionalProperties
  if (values === false) return 'Record<string, never>'
  const isSchema = typeof values === 'object'
  return `Record<string, ${isSchema ? typeOf(values, used, pad) : 'unknown'}>`
}

export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`

/** A comment that an editor shows; nothing for a missing text. */
export function commentOf(text: string | undefined, pad = ''): string {
  if (text === undefined) return ''
  return `${pad}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`
}
