import type { SqlValue } from './sql.ts'

/** A piece of a statement, with the values of its `?` in their order. */
export class Fragment {
  readonly text: string
  readonly values: readonly SqlValue[]

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text
    this.values = values
  }

  /** In a template without the tag its values would be lost, which no type tells. */
  toString(): never {
    throw new TypeError('a fragment is put into a template without the tag `fragment`')
  }
}

/** SQL as it stands: the same text in each call, because statements are prepared by their text. */
export const raw = (sql: string | number): Fragment => new Fragment(String(sql), [])

/** A fragment in a template is put in with its values; anything else becomes a `?` with this value. */
export function fragment(
  strings: TemplateStringsArray,
  ...parts: readonly (Fragment | SqlValue)[]
): Fragment {
  const fragments = parts.map((part) =>
    part instanceof Fragment ? part : new Fragment('?', [part]),
  )
  return new Fragment(
    String.raw({ raw: strings }, ...fragments.map(({ text }) => text)),
    fragments.flatMap(({ values }) => values),
  )
}

export function joined(fragments: readonly Fragment[], separator: string): Fragment {
  return new Fragment(
    fragments.map(({ text }) => text).join(separator),
    fragments.flatMap(({ values }) => values),
  )
}

/** What stands in the brackets of `in (…)`: nothing is in an empty list. */
export const listed = (values: readonly SqlValue[]): Fragment =>
  values.length === 0
    ? raw('null')
    : joined(
        values.map((value) => fragment`${value}`),
        ', ',
      )
