// JSON Schema (2020-12) as plain objects. A schema library would cost every worker thread that loads the
// table of message kinds about 25 MB; nothing here validates, the schemas describe what is written.

export type JsonSchema = { readonly [keyword: string]: unknown }

type Hints = { readonly description?: string; readonly examples?: readonly unknown[] }
type Properties = Readonly<Record<string, JsonSchema>>

/** A string. */
export const text = (hints: Hints = {}): JsonSchema => ({ type: 'string', ...hints })

/** A string that is one of these. */
export const oneOf = (values: readonly string[], hints: Hints = {}): JsonSchema => ({
  type: 'string',
  enum: values,
  ...hints,
})

/** An integer that JSON numbers hold exactly. */
export const integer = (hints: Hints = {}): JsonSchema => ({ type: 'integer', ...hints })

/** Bytes as "0x" and lowercase hex digits; no bytes give "". With a length: exactly so many bytes. */
export const hex = (description: string, bytes?: number): JsonSchema => ({
  type: 'string',
  pattern: bytes === undefined ? '^(0x([0-9a-f]{2})+)?$' : `^0x[0-9a-f]{${2 * bytes}}$`,
  description: `0x hex: ${description}`,
})

/** Bytes as padded base64; no bytes give "". */
export const base64 = (description: string): JsonSchema => ({
  type: 'string',
  contentEncoding: 'base64',
  description: `base64: ${description}`,
})

/** A list of values of one schema. */
export const list = (items: JsonSchema, hints: Hints = {}): JsonSchema => ({
  type: 'array',
  items,
  ...hints,
})

/**
 * An object. All properties but the `optional` ones are required. `id` names the schema, so that
 * documents describe it once and refer to it.
 */
export function object(
  properties: Properties,
  options: { readonly id?: string; readonly optional?: Properties } & Hints = {},
): JsonSchema {
  const { id, optional = {}, ...hints } = options
  return {
    ...(id !== undefined && { $id: id }),
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
    ...hints,
  }
}

/** One of several schemas; `id` names the union. */
export const union = (anyOf: readonly JsonSchema[], id?: string): JsonSchema => ({
  ...(id !== undefined && { $id: id }),
  anyOf,
})

/** Exactly this value. */
export const literal = (value: string | number | boolean): JsonSchema => ({ const: value })
