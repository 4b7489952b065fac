import Type, { type TOptional, type TSchema, type TUnsafe } from 'typebox'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { SqlValue } from '../engines/sql.ts'
import type { Field, Fields, Row, Table, ValueOf } from './table.ts'

// The JSON of declared tables: published rows, request bodies, and the records of exports and
// imports. Everything follows from the fields (table.ts).

/** A fid in a request. */
export const Fid = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })
/** Up to the year 2106, the greatest timestamp that a message can carry. */
export const UnixSeconds = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })

/** The JSON value of a field that is not null. */
type JsonValue<C extends Field> = C extends { values: readonly (infer V)[] }
  ? V
  : C['type'] extends 'flag'
    ? boolean
    : C['type'] extends 'fids'
      ? number[]
      : C['type'] extends 'integer' | 'fid' | 'seconds' | 'millis'
        ? number
        : string

type Simplify<T> = { [K in keyof T]: T[K] }
/** A field that is left out of JSON when it is null, or when its list is empty. */
type MayBeAbsent = { null: true } | { type: 'fids' }
type NameOf<C extends Field> = C extends { json: `${string}.${string}` }
  ? never
  : C extends { json: infer N extends string }
    ? N
    : never
type GroupOf<C extends Field> = C extends { json: `${infer G}.${string}` } ? G : never
type MemberOf<C extends Field, G extends string> = C extends { json: `${G}.${infer N}` } ? N : never
type Groups<F extends Fields> = { [K in keyof F]: GroupOf<F[K]> }[keyof F]
type GroupJson<F extends Fields, G extends string> = {
  [K in keyof F as MemberOf<F[K], G>]: JsonValue<F[K]>
}

/** The fields that satisfy a condition. */
type Only<F extends Fields, C> = { [K in keyof F as F[K] extends C ? K : never]: F[K] }
type Without<F extends Fields, C> = { [K in keyof F as F[K] extends C ? never : K]: F[K] }

/** A row as JSON. */
type JsonOf<F extends Fields> = Simplify<
  { [K in keyof F as F[K] extends MayBeAbsent ? never : NameOf<F[K]>]: JsonValue<F[K]> } & {
    [K in keyof F as F[K] extends MayBeAbsent ? NameOf<F[K]> : never]?: JsonValue<F[K]>
  } & { [G in Groups<F>]?: GroupJson<F, G> }
>

type Portable<F extends Fields> = Without<
  Only<F, { json: string }>,
  { counter: true } | { portable: false }
>
type HasDefault = MayBeAbsent | { default: SqlValue }

/** A record of an export or import: the portable fields; those with a default may be left out. */
type RecordOf<F extends Fields> = Simplify<
  {
    [K in keyof Portable<F> as F[K] extends HasDefault ? never : NameOf<F[K]>]: JsonValue<F[K]>
  } & {
    [K in keyof Portable<F> as F[K] extends HasDefault ? NameOf<F[K]> : never]?: JsonValue<F[K]>
  } & { [G in Groups<Portable<F>>]?: GroupJson<F, G> }
>

type Use = 'create' | 'edit'
type AcceptedBy<F extends Fields, U extends Use> = {
  [K in keyof F as F[K] extends { accept: readonly (infer A)[] }
    ? U extends A
      ? K
      : never
    : never]: F[K]
}
type Nullable<C extends Field, U extends Use, T> = U extends 'edit'
  ? C extends { null: true }
    ? T | null
    : T
  : T
type GroupNull<U extends Use> = U extends 'edit' ? null : never

/** The properties of a request body that come from the table: all optional; an edit removes a value by null. */
type InputsOf<F extends Fields, U extends Use> = {
  [K in keyof AcceptedBy<F, U> as NameOf<F[K]>]: TOptional<
    TUnsafe<Nullable<F[K], U, JsonValue<F[K]>>>
  >
} & {
  [G in Groups<AcceptedBy<F, U>>]: TOptional<TUnsafe<GroupJson<F, G> | GroupNull<U>>>
}

/** The row values of an import record; absent values have become defaults. */
type ImportedRow<F extends Fields> = {
  readonly [K in keyof Portable<F>]: ValueOf<F[K]>
}

type Defaults<F extends Fields> = {
  readonly [K in keyof Portable<F> as F[K] extends HasDefault ? K : never]: ValueOf<F[K]>
}

/** Where values come from: a record of an import, or a request body that creates or edits. */
type Source = Use | 'import'

type TableJson<F extends Fields> = {
  /** The JSON schemas of the published fields, by name. */
  readonly properties: Readonly<Record<string, TSchema>>
  /** The same as one schema, to be documented under a name when it has an `$id`. */
  schema(options?: { readonly $id?: string }): TUnsafe<JsonOf<F>>
  /** The published JSON of a row, in the order of the fields. */
  of(row: Row<F>): JsonOf<F>
  readonly recordSchema: TUnsafe<RecordOf<F>>
  record(row: Row<F>): RecordOf<F>
  /** The row values of an import record. */
  rowOf(record: RecordOf<F>): ImportedRow<F>
  /** The properties of a request body that creates or edits. */
  inputs<U extends Use>(use: U): InputsOf<F, U>
  /** The columns that such a request may set. */
  columnsOf<U extends Use>(use: U): readonly (keyof AcceptedBy<F, U> & keyof F)[]
  /** The row values of a request body, without fields that it leaves out or may not set. */
  valuesOf<U extends Use>(use: U, body: object): Partial<Row<AcceptedBy<F, U>>>
  /** The stored values of portable fields that may be left out. */
  readonly defaults: Defaults<F>
  /**
   * Throws a Rejection unless texts have no control characters and links are http or https URLs. In requests, a text that
   * may not be empty has a character that is seen; an import brings what was accepted earlier.
   */
  check(source: Source, body: object, prefix?: string): void
}

type Public<F extends Fields> = Without<F, { operatorOnly: true }>

/** Makes the JSON of a table, for everybody or for the operator. To be called once for each. */
export function tableJson<F extends Fields>(table: Table<F>): TableJson<Public<F>>
export function tableJson<F extends Fields>(
  table: Table<F>,
  options: { readonly for: 'operator' },
): TableJson<F>
export function tableJson<F extends Fields>(
  table: Table<F>,
  options?: { readonly for: 'operator' },
): TableJson<F> {
  const published = Object.entries<Field>(table.fields)
    .filter(([, field]) => field.json !== undefined && (options || !field.operatorOnly))
    .map(([column, field]) => new JsonField(column, field))
  const portable = published.filter(({ field }) => !field.counter && field.portable !== false)
  const accepted = {
    create: published.filter(({ field }) => field.accept?.includes('create')),
    edit: published.filter(({ field }) => field.accept?.includes('edit')),
    import: portable,
  }
  const [publishedParts, portableParts] = [partsOf(published), partsOf(portable)]
  const properties = propertiesOf(publishedParts, (field) => field.publishedSchema())
  const defaults = Object.fromEntries(
    portable.filter(({ hasDefault }) => hasDefault).map(({ column, absent }) => [column, absent]),
  )
  return {
    properties,
    schema: (options) => Type.Unsafe<JsonOf<F>>(Type.Object(properties, options)),
    of: (row) => write(publishedParts, row) as JsonOf<F>,
    recordSchema: Type.Unsafe<RecordOf<F>>(
      Type.Object(propertiesOf(portableParts, (field) => field.recordSchema())),
    ),
    record: (row) => write(portableParts, row) as RecordOf<F>,
    rowOf: (record) => ({ ...defaults, ...read(portable, record) }) as ImportedRow<F>,
    inputs: <U extends Use>(use: U) =>
      propertiesOf(partsOf(accepted[use]), (field) => field.inputSchema(use), use) as InputsOf<
        F,
        U
      >,
    columnsOf: <U extends Use>(use: U) =>
      accepted[use].map(({ column }) => column as keyof AcceptedBy<F, U> & keyof F),
    valuesOf: <U extends Use>(use: U, body: object) =>
      read(accepted[use], body) as Partial<Row<AcceptedBy<F, U>>>,
    defaults: defaults as Defaults<F>,
    check: (source, body, prefix = '') => {
      for (const field of accepted[source]) field.check(valueIn(body, field), prefix, source)
    },
  }
}

type Json = Record<string, unknown>

class JsonField {
  readonly column: string
  readonly field: Field
  /** `group` is the object that contains the value, if there is one. */
  readonly group: string | undefined
  readonly name: string
  /** The stored value when an import has none. */
  readonly absent: SqlValue

  constructor(column: string, field: Field) {
    const [first, second] = field.json!.split('.') as [string, string?]
    this.column = column
    this.field = field
    this.group = second === undefined ? undefined : first
    this.name = second ?? first
    this.absent = field.default ?? (field.type === 'fids' ? '' : null)
  }

  get isOptional(): boolean {
    return this.field.null === true || this.field.type === 'fids'
  }

  publishedSchema(): TSchema {
    const { type, values, description } = this.field
    const options = description === undefined ? {} : { description }
    const schema = values
      ? Type.Union(values.map((value) => Type.Literal(value)))
      : type === 'flag'
        ? Type.Boolean(options)
        : type === 'fids'
          ? Type.Array(Type.Integer(), options)
          : isNumber(type)
            ? Type.Integer(
                type === 'seconds' ? { description: 'Unix seconds.', ...options } : options,
              )
            : Type.String(options)
    return this.isOptional && !this.group ? Type.Optional(schema) : schema
  }

  get hasDefault(): boolean {
    return this.isOptional || this.field.default !== undefined
  }

  recordSchema(): TSchema {
    return this.hasDefault && !this.group
      ? Type.Optional(this.#requestSchema())
      : this.#requestSchema()
  }

  inputSchema(use: Use): TSchema {
    const schema = this.#requestSchema()
    if (this.group) return schema
    const isNullable = use === 'edit' && this.field.null
    return Type.Optional(isNullable ? Type.Union([schema, Type.Null()]) : schema)
  }

  #requestSchema(): TSchema {
    const { type, values, min, max, pattern, description } = this.field
    if (values) return Type.Union(values.map((value) => Type.Literal(value)))
    const documented = description === undefined ? {} : { description }
    if (type === 'flag') return Type.Boolean(documented)
    if (type === 'fid') return { ...Fid, ...documented }
    if (type === 'seconds') return { ...UnixSeconds, description: 'Unix seconds.', ...documented }
    if (type === 'fids') return Type.Array(Fid, { ...(max !== undefined && { maxItems: max }) })
    if (isNumber(type)) return Type.Integer({ minimum: 0, ...documented })
    if (type === 'bytes') {
      return Type.String({
        pattern: `^0[xX][0-9a-fA-F]{${2 * min!}${min === max ? '' : `,${2 * max!}`}}$`,
      })
    }
    return Type.String({
      ...(pattern && { pattern: pattern.source }),
      ...(min !== undefined && { minLength: min }),
      ...(max !== undefined && { maxLength: max }),
      ...(type === 'link' ? { description: 'http or https.' } : documented),
    })
  }

  /** The JSON of a stored value; undefined when it is left out. */
  write(value: SqlValue | undefined): unknown {
    if (value === null || value === undefined) return undefined
    const { type } = this.field
    if (type === 'bytes') return toHex(value as Uint8Array)
    if (type === 'flag') return value === 1
    if (type === 'fids') return value === '' ? undefined : fidsOf(value as string)
    return value
  }

  read(value: unknown): SqlValue {
    if (value === null) return null
    const { type } = this.field
    if (type === 'bytes') return fromHex(value as string)!
    if (type === 'flag') return Number(value)
    if (type === 'fids') return [...new Set(value as number[])].join()
    return value as SqlValue
  }

  check(value: unknown, prefix: string, source: Source): void {
    if (typeof value !== 'string') return
    const { type, json } = this.field
    if (type !== 'line' && type !== 'text' && type !== 'link') return
    // An empty string stands for no link where the column cannot be null.
    if (type === 'link' && value === this.field.default) return
    const field = `${prefix}${json}`
    checkText(value, field, type === 'text')
    if (source !== 'import' && this.field.min && !SEEN.test(value)) {
      throw invalid(field, 'must have a character that can be seen')
    }
    if (type === 'link') checkLink(value, field)
  }
}

const isNumber = (type: Field['type']) =>
  type === 'integer' || type === 'fid' || type === 'seconds' || type === 'millis'

/** The numbers of a stored list of fids. */
export const fidsOf = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number))

/** A property of the JSON object: one field, or an object of several. */
type Part = { readonly name: string; readonly isGroup: boolean; readonly fields: JsonField[] }

function partsOf(fields: readonly JsonField[]): Part[] {
  const parts = new Map<string, Part>()
  for (const field of fields) {
    const name = field.group ?? field.name
    const part = parts.get(name)
    if (part) part.fields.push(field)
    else parts.set(name, { name, isGroup: field.group !== undefined, fields: [field] })
  }
  return [...parts.values()]
}

function propertiesOf(
  parts: readonly Part[],
  schemaOf: (field: JsonField) => TSchema,
  use?: Use,
): Record<string, TSchema> {
  return Object.fromEntries(
    parts.map(({ name, isGroup, fields }) => {
      if (!isGroup) return [name, schemaOf(fields[0]!)]
      const object = Type.Object(
        Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
      )
      return [name, Type.Optional(use === 'edit' ? Type.Union([object, Type.Null()]) : object)]
    }),
  )
}

/** An object of several fields is written when all of them have values. */
function write(parts: readonly Part[], row: object): Json {
  const values = row as Readonly<Record<string, SqlValue>>
  const json: Json = {}
  for (const { name, isGroup, fields } of parts) {
    if (!isGroup) {
      const value = fields[0]!.write(values[fields[0]!.column])
      if (value !== undefined) json[name] = value
    } else if (fields.every(({ column }) => values[column] !== null)) {
      json[name] = Object.fromEntries(
        fields.map((field) => [field.name, field.write(values[field.column])]),
      )
    }
  }
  return json
}

function valueIn(json: object, { group, name }: JsonField): unknown {
  if (!group) return (json as Json)[name]
  const object = (json as Json)[group] as Json | null | undefined
  return object == null ? object : object[name]
}

function read(fields: readonly JsonField[], json: object): Record<string, SqlValue> {
  const values: Record<string, SqlValue> = {}
  for (const field of fields) {
    const value = valueIn(json, field)
    if (value !== undefined) values[field.column] = field.read(value)
  }
  return values
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be stored
const CONTROL = /[\u0000-\u001f\u007f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text of several lines has some
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** What pages show of a text; they leave the rest out. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

function checkText(text: string, field: string, hasLines: boolean): void {
  if (text.isWellFormed() && !(hasLines ? CONTROL_BUT_LINES : CONTROL).test(text)) return
  throw invalid(field, 'must not contain control characters')
}

function checkLink(text: string, field: string): void {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' }
  if (protocol === 'https:' || protocol === 'http:') return
  throw invalid(field, 'must be a URL like https://example.org/image.png')
}

const invalid = (field: string, text: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${text}`, { field })
