import Type, { type Static, type TSchema } from 'typebox'
import { COLORS, COLORS_AND_ACCENT, ICONS } from './words.ts'

// What each element of a page may have, and what is wrong about values that depend on each other.
// Lengths are UTF-16 units, as the published schema counts them.

/** Something wrong below an element: where, and what is to be written. */
export type PropFault = { readonly path: string; readonly message: string; readonly fix: string }

type ElementSpec<S extends TSchema = TSchema, L extends TSchema = S, P = Static<L>> = {
  /** As the format has them. What is different is told. */
  readonly props: S
  /** What is drawn besides: published servers send it, and deployed clients draw it. */
  readonly lenient?: L
  /** Whether elements may stand below it. */
  readonly isContainer?: true
  /** A list, and what each of its items must be: another one is left out, and never changed, since a press would send it. */
  readonly sent?: { readonly list: string; readonly item: TSchema }
  /** What no schema says. */
  check?(props: Static<L>): PropFault | undefined
  /** The properties as they are drawn. */
  settle?(props: Static<L>): P
}

const spec = <S extends TSchema, L extends TSchema = S, P = Static<L>>(
  one: ElementSpec<S, L, P>,
): ElementSpec<S, L, P> => one

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

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** What a press sends is never cut: its server compares it, so what is longer is left out. As long as what a reader can enter. */
const MAX_SENT_CHARACTERS = 280
const sent = text(1, MAX_SENT_CHARACTERS)
const option = Type.Object({ value: sent, label: sent })
/** Of a list that has more than the format allows. */
const MAX_DRAWN = 32

const chart = (value: TSchema, maxItems: number) =>
  Type.Object({
    bars: Type.Array(
      Type.Object({
        label: text(1, 40),
        value: Type.Unsafe<number>(value),
        color: maybe(COLORS),
      }),
      { minItems: 1, maxItems },
    ),
    max: Type.Optional(Type.Number({ minimum: 0 })),
    color: anyColor,
  })

const grid = (min: number, value: TSchema) =>
  Type.Object({
    name: Type.Optional(name),
    cols: whole(min, 32),
    rows: whole(min, 16),
    cells: Type.Array(
      Type.Object({
        row: whole(0),
        col: whole(0),
        color: cellColor,
        textColor: cellColor,
        content: Type.Optional(Type.String()),
        value: Type.Optional(Type.Unsafe<string>(value)),
      }),
      { maxItems: 512 },
    ),
    gap,
    cellAspectRatio: maybe(['auto', 'square']),
    rowHeight: Type.Optional(whole(8, 64)),
    maxWidth: maybe(['sm', 'md', 'lg']),
    select: maybe(['off', 'single', 'multiple']),
  })

const PICTURE = {
  url: Type.String(),
  alt: Type.Optional(Type.String()),
  title: Type.Optional(text(1, 80)),
  subtitle: Type.Optional(text(1, 120)),
}
/** Any ratio of two numbers; a square where there is none. */
const anyPicture = Type.Object({
  ...PICTURE,
  aspect: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,3}:[1-9][0-9]{0,3}$' })),
})
const pictureWith = (aspects: readonly string[]) =>
  spec({
    props: Type.Object({ ...PICTURE, aspect: oneOf(aspects) }),
    lenient: anyPicture,
    settle: ({ aspect = '1:1', ...others }) => ({ ...others, aspect }),
  })

const OPTIONS = {
  name,
  label: label(60),
  multiple: flag,
  orientation: maybe(['horizontal', 'vertical']),
  defaultValue: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  variant: maybe(['default', 'outline']),
}

const strict = { additionalProperties: false } as const
const media = Type.Union([
  Type.Object({ variant: Type.Literal('icon'), name: icon, color: anyColor }, strict),
  Type.Object(
    { variant: Type.Literal('image'), url: Type.String(), alt: label(120), round: flag },
    strict,
  ),
])

const title = text(1, 100)
const ITEM = { description: label(160), media: Type.Optional(media) }
const anyItem = (variants: readonly string[]) =>
  Type.Object({ ...ITEM, title: label(100), variant: maybe(variants) }, strict)
const itemWith = (variants: readonly string[]) =>
  spec({
    isContainer: true,
    props: Type.Object({ ...ITEM, title, variant: maybe(variants) }, strict),
    lenient: anyItem(variants),
  })

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
    props: chart(Type.Number({ minimum: 0 }), 6),
    lenient: chart(Type.Number(), MAX_DRAWN),
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
    props: grid(2, text(1, 30)),
    lenient: grid(1, sent),
    sent: { list: 'cells', item: Type.Object({ value: Type.Optional(sent) }) },
    check({ cols, rows, cells }) {
      const at = cells.findIndex(({ row, col }) => row >= rows || col >= cols)
      if (at < 0) return undefined
      const [side, last] = cells[at]!.row >= rows ? ['row', rows - 1] : ['col', cols - 1]
      return wrong(`cells.${at}.${side}`, 'is outside the grid', `Write 0 to ${last}.`)
    },
    settle: ({ cells, ...others }) => ({
      ...others,
      cells: cells.filter(({ row, col }) => row < others.rows && col < others.cols),
    }),
  }),
  icon: spec({ props: Type.Object({ name: icon, color: anyColor, size: maybe(['sm', 'md']) }) }),
  image: pictureWith(['1:1', '16:9', '4:3', '9:16', '4:1']),
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
  item: itemWith(['default']),
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
    settle({ value, max, ...others }) {
      const full = max > 0 ? max : 1
      return { ...others, value: clamp(value, 0, full), max: full }
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
    settle({ min, max: given, defaultValue, ...others }) {
      const max = Math.max(min, given)
      const value = defaultValue !== undefined && { defaultValue: clamp(defaultValue, min, max) }
      return { ...others, min, max, ...value }
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
      ...OPTIONS,
      options: Type.Array(text(1, 30), { minItems: 2, maxItems: 6 }),
    }),
    lenient: Type.Object({
      ...OPTIONS,
      options: Type.Array(Type.Union([sent, option]), { minItems: 1, maxItems: MAX_DRAWN }),
    }),
    sent: { list: 'options', item: Type.Union([sent, option]) },
    settle({ options: given, ...others }) {
      const pairs = given.map((one) => (typeof one === 'string' ? { value: one, label: one } : one))
      const isPlain = pairs.every(({ value, label }) => value === label)
      return {
        ...others,
        options: pairs.map(({ label }) => label),
        /** What is sent for each option, where that is not the text of the option. */
        ...(!isPlain && { values: pairs.map(({ value }) => value) }),
      }
    },
  }),
} as const

export type ElementType = keyof typeof ELEMENTS
type PropsOf<T extends ElementType> = ReturnType<NonNullable<(typeof ELEMENTS)[T]['settle']>>

export type AnySpec = ElementSpec<TSchema, TSchema, unknown>

/** Words that pages of version 1.0 have besides. */
const VERSION_1: Partial<Record<ElementType, AnySpec>> = {
  button: spec({
    props: Type.Object({
      label: text(1, 30),
      variant: maybe(['default', 'primary', 'secondary', 'outline', 'ghost']),
      icon: Type.Optional(icon),
    }),
  }),
  image: pictureWith(['1:1', '16:9', '4:3', '3:4', '9:16']),
  item: itemWith(['default', 'outline', 'muted']),
  text: spec({
    props: Type.Object({
      content: text(1, 320),
      size: maybe(['lg', 'md', 'sm']),
      weight: maybe(['bold', 'medium', 'normal']),
      align: maybe(['left', 'center', 'right']),
    }),
  }),
}

export function elementSpec(type: string, version: string): AnySpec | undefined {
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
