import Type, { type Static, type TSchema } from 'typebox'
import { COLORS, COLORS_AND_ACCENT, ICONS } from './words.ts'

// What each element of a page may have, and what is wrong about values that depend on each other.
// Lengths are UTF-16 units, as the published schema counts them.

/** Something wrong below an element: where, and what is to be written. */
export type PropFault = { readonly path: string; readonly message: string; readonly fix: string }

type ElementSpec<S extends TSchema = TSchema> = {
  readonly props: S
  /** Whether elements may stand below it. */
  readonly isContainer?: true
  /** The checks that no schema says. */
  readonly check?: (props: Static<S>) => PropFault | undefined
}

const spec = <const S extends TSchema>(one: ElementSpec<S>): ElementSpec<S> => one

const text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength })
const label = (max: number) => Type.Optional(text(0, max))
const oneOf = <const T extends readonly string[]>(words: T) => Type.Enum([...words] as T[number][])
const maybe = <const T extends readonly string[]>(words: T) => Type.Optional(oneOf(words))
const flag = Type.Optional(Type.Boolean())
const whole = (minimum: number, maximum?: number) =>
  Type.Integer({ minimum, ...(maximum !== undefined && { maximum }) })
const icon = oneOf(ICONS)
const anyColor = maybe(COLORS_AND_ACCENT)
/** `name` of an element with a value: the key among the inputs. */
const name = Type.String({ minLength: 1 })
const gap = maybe(['none', 'sm', 'md', 'lg'])
/** A colour by its name or as #rrggbb. */
const cellColor = Type.Optional(
  Type.String({ pattern: `^\\s*(?:${COLORS.join('|')}|#[0-9a-fA-F]{6})\\s*$` }),
)

const wrong = (path: string, message: string, fix: string): PropFault => ({ path, message, fix })

const bar = Type.Object({
  label: text(1, 40),
  value: Type.Number({ minimum: 0 }),
  color: maybe(COLORS),
})

const cell = Type.Object({
  row: whole(0),
  col: whole(0),
  color: cellColor,
  textColor: cellColor,
  content: Type.Optional(Type.String()),
  value: Type.Optional(text(1, 30)),
})

const strict = { additionalProperties: false } as const
const media = Type.Union([
  Type.Object({ variant: Type.Literal('icon'), name: icon, color: anyColor }, strict),
  Type.Object(
    { variant: Type.Literal('image'), url: Type.String(), alt: label(120), round: flag },
    strict,
  ),
])

const title = text(1, 100)
const description = label(160)

export const ELEMENTS = {
  badge: spec({
    props: Type.Object({
      label: text(1, 30),
      variant: maybe(['default', 'outline']),
      color: anyColor,
      icon: Type.Optional(icon),
    }),
  }),
  bar_chart: spec({
    props: Type.Object({
      bars: Type.Array(bar, { minItems: 1, maxItems: 6 }),
      max: Type.Optional(Type.Number({ minimum: 0 })),
      color: anyColor,
    }),
    check({ bars, max }) {
      const at = max === undefined ? -1 : bars.findIndex(({ value }) => value > max)
      if (at < 0) return undefined
      return wrong(`bars.${at}.value`, `is above max, ${max}`, 'Raise max, or leave it out.')
    },
  }),
  button: spec({
    props: Type.Object({
      label: text(1, 30),
      variant: maybe(['secondary', 'primary']),
      icon: Type.Optional(icon),
    }),
  }),
  cell_grid: spec({
    props: Type.Object({
      name: Type.Optional(name),
      cols: whole(2, 32),
      rows: whole(2, 16),
      cells: Type.Array(cell, { maxItems: 512 }),
      gap,
      cellAspectRatio: maybe(['auto', 'square']),
      rowHeight: Type.Optional(whole(8, 64)),
      maxWidth: maybe(['sm', 'md', 'lg']),
      select: maybe(['off', 'single', 'multiple']),
    }),
    check({ cols, rows, cells }) {
      const at = cells.findIndex(({ row, col }) => row >= rows || col >= cols)
      if (at < 0) return undefined
      const [side, last] = cells[at]!.row >= rows ? ['row', rows - 1] : ['col', cols - 1]
      return wrong(`cells.${at}.${side}`, 'is outside the grid', `Write 0 to ${last}.`)
    },
  }),
  icon: spec({ props: Type.Object({ name: icon, color: anyColor, size: maybe(['sm', 'md']) }) }),
  image: spec({
    props: Type.Object({
      url: Type.String(),
      aspect: oneOf(['1:1', '16:9', '4:3', '9:16', '4:1']),
      alt: Type.Optional(Type.String()),
      title: Type.Optional(text(1, 80)),
      subtitle: Type.Optional(text(1, 120)),
    }),
  }),
  input: spec({
    props: Type.Object({
      name,
      type: maybe(['text', 'number']),
      label: label(60),
      placeholder: label(60),
      defaultValue: Type.Optional(Type.String()),
      maxLength: Type.Optional(whole(1, 280)),
    }),
  }),
  item: spec({
    isContainer: true,
    props: Type.Object(
      { title, description, variant: maybe(['default']), media: Type.Optional(media) },
      strict,
    ),
  }),
  item_group: spec({
    isContainer: true,
    props: Type.Object({ border: flag, separator: flag, gap }),
  }),
  paginator: spec({
    isContainer: true,
    props: Type.Object({
      initialPage: Type.Optional(whole(0)),
      showIndicators: flag,
      showControls: flag,
      controlsPosition: maybe(['top', 'bottom']),
      transition: maybe(['slide', 'fade', 'scale', 'none']),
    }),
  }),
  progress: spec({
    props: Type.Object({ value: Type.Number(), max: Type.Number(), label: label(60) }),
    check({ value, max }) {
      if (max <= 0) return wrong('max', 'must be above 0', 'Write the value at which it is full.')
      if (value >= 0 && value <= max) return undefined
      return wrong('value', `must be 0 to max, ${max}`, 'Write a value in between.')
    },
  }),
  separator: spec({ props: Type.Object({ orientation: maybe(['horizontal', 'vertical']) }) }),
  slider: spec({
    props: Type.Object({
      name,
      min: Type.Number(),
      max: Type.Number(),
      step: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      defaultValue: Type.Optional(Type.Number()),
      label: label(60),
      showValue: flag,
    }),
    check({ min, max, defaultValue: value = min }) {
      if (min > max) return wrong('min', `is above max, ${max}`, 'Exchange them.')
      if (value >= min && value <= max) return undefined
      return wrong('defaultValue', `must be ${min} to ${max}`, 'Write a value in between.')
    },
  }),
  stack: spec({
    isContainer: true,
    props: Type.Object({
      direction: maybe(['vertical', 'horizontal']),
      gap,
      justify: maybe(['start', 'center', 'end', 'between', 'around']),
      equalWidth: flag,
      columns: Type.Optional(whole(2, 6)),
    }),
  }),
  switch: spec({ props: Type.Object({ name, label: label(60), defaultChecked: flag }) }),
  text: spec({
    props: Type.Object({
      content: text(1, 320),
      size: maybe(['md', 'sm']),
      weight: maybe(['bold', 'normal']),
      align: maybe(['left', 'center', 'right']),
      maxLines: Type.Optional(whole(1, 6)),
    }),
  }),
  toggle_group: spec({
    props: Type.Object({
      name,
      label: label(60),
      multiple: flag,
      orientation: maybe(['horizontal', 'vertical']),
      defaultValue: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      options: Type.Array(text(1, 30), { minItems: 2, maxItems: 6 }),
      variant: maybe(['default', 'outline']),
    }),
  }),
} as const

export type ElementType = keyof typeof ELEMENTS
type PropsOf<T extends ElementType> = Static<(typeof ELEMENTS)[T]['props']>

/** Words that pages of version 1.0 have besides. */
const VERSION_1: Partial<Record<ElementType, ElementSpec>> = {
  button: spec({
    props: Type.Object({
      label: text(1, 30),
      variant: maybe(['default', 'primary', 'secondary', 'outline', 'ghost']),
      icon: Type.Optional(icon),
    }),
  }),
  image: spec({
    props: Type.Object({
      url: Type.String(),
      aspect: oneOf(['1:1', '16:9', '4:3', '3:4', '9:16']),
      alt: Type.Optional(Type.String()),
    }),
  }),
  item: spec({
    isContainer: true,
    props: Type.Object({ title, description, variant: maybe(['default', 'outline', 'muted']) }),
  }),
  text: spec({
    props: Type.Object({
      content: text(1, 320),
      size: maybe(['lg', 'md', 'sm']),
      weight: maybe(['bold', 'medium', 'normal']),
      align: maybe(['left', 'center', 'right']),
    }),
  }),
}

export function elementSpec(type: string, version: string): ElementSpec | undefined {
  if (!Object.hasOwn(ELEMENTS, type)) return undefined
  return (version === '1.0' && VERSION_1[type as ElementType]) || ELEMENTS[type as ElementType]
}

const target = Type.Object({ target: Type.String() })
const token = Type.String()
const maybeText = Type.Optional(Type.String())

/** What a press may do, with its parameters. */
export const ACTIONS = {
  submit: target,
  open_url: target,
  open_snap: target,
  open_mini_app: target,
  view_cast: Type.Object({ hash: Type.String() }),
  view_profile: Type.Object({ fid: Type.Number() }),
  compose_cast: Type.Object({
    text: maybeText,
    channelKey: maybeText,
    embeds: Type.Optional(Type.Array(Type.String())),
  }),
  view_token: Type.Object({ token }),
  send_token: Type.Object({
    token,
    amount: maybeText,
    recipientFid: Type.Optional(Type.Number()),
    recipientAddress: maybeText,
  }),
  swap_token: Type.Object({ sellToken: maybeText, buyToken: maybeText }),
  paginator_next: Type.Object({ page: Type.Optional(whole(0)) }),
  paginator_prev: Type.Object({ page: Type.Optional(whole(0)) }),
  paginator_go_to: Type.Object({ page: whole(0) }),
} as const

type ActionName = keyof typeof ACTIONS
export type SnapPress = {
  [A in ActionName]: { readonly action: A; readonly params: Static<(typeof ACTIONS)[A]> }
}[ActionName]

/** One element of a page. */
export type SnapElement = {
  [T in ElementType]: {
    readonly type: T
    readonly props: PropsOf<T>
    /** Ids of elements of the same page, each of which is there. */
    readonly children?: readonly string[]
    readonly on?: { readonly press: SnapPress }
  }
}[ElementType]
