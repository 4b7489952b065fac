import { createContext, type ReactNode, useContext, useId } from 'react'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { cleanText } from '../../shared/text.ts'
import { Picture } from '../parts/picture.tsx'
import { SnapIcon } from './icons.tsx'
import type { Inputs, SnapElement, SnapPage, SnapPress, SnapValue } from './page.ts'

/** What elements know of the card that they stand in. */
export type CardState = {
  readonly page: SnapPage
  readonly inputs: Inputs
  readonly isBusy: boolean
  /** Which page of the paginator is shown. */
  readonly shown: number
  setInput(name: string, value: SnapValue): void
  setShown(page: number): void
  /** Runs what a button does; `more` are inputs that the press itself gives. */
  run(id: string, press: SnapPress, more?: Inputs): void
}

const Card = createContext<CardState | undefined>(undefined)
export const CardProvider = Card.Provider
const useCard = (): CardState => useContext(Card)!

type Of<T extends SnapElement['type']> = {
  readonly id: string
  readonly element: Extract<SnapElement, { type: T }>
}

/** An element of the page, with those below it. */
export function Element({ id }: { id: string }): ReactNode {
  const element = useCard().page.ui.elements[id]
  if (!element) return null
  switch (element.type) {
    case 'badge':
      return <Badge {...{ id, element }} />
    case 'bar_chart':
      return <BarChart {...{ id, element }} />
    case 'button':
      return <Button {...{ id, element }} />
    case 'cell_grid':
      return <CellGrid {...{ id, element }} />
    case 'icon':
      return (
        <span
          className={`snap-icon ${element.props.size ?? 'md'}`}
          style={ink(element.props.color)}
        >
          <SnapIcon name={element.props.name} />
        </span>
      )
    case 'image':
      return <Image {...{ id, element }} />
    case 'input':
      return <TextInput {...{ id, element }} />
    case 'item':
      return <Item {...{ id, element }} />
    case 'item_group':
      return <ItemGroup {...{ id, element }} />
    case 'paginator':
      return <Paginator {...{ id, element }} />
    case 'progress':
      return <Progress {...{ id, element }} />
    case 'separator':
      return <hr className={`snap-separator ${element.props.orientation ?? 'horizontal'}`} />
    case 'slider':
      return <Slider {...{ id, element }} />
    case 'stack':
      return <Stack {...{ id, element }} />
    case 'switch':
      return <Switch {...{ id, element }} />
    case 'text':
      return <Text {...{ id, element }} />
    case 'toggle_group':
      return <ToggleGroup {...{ id, element }} />
  }
}

const Children = ({ ids = [] }: { ids?: readonly string[] | undefined }) =>
  ids.map((id, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an element may stand twice in a page, and never moves
    <Element key={i} id={id} />
  ))

/** A colour of the page: a name, whose shade follows the theme, or #rrggbb. */
const colorOf = (color: string | undefined, other: string): string => {
  const name = color?.trim()
  if (!name) return other
  return name.startsWith('#') ? name : `var(--snap-${name})`
}
const ink = (color: string | undefined) => ({ color: colorOf(color, 'inherit') })

const Words = ({ text }: { text: string }) => <bdi>{cleanText(text)}</bdi>

function Badge({ element: { props } }: Of<'badge'>) {
  const style = { '--tone': colorOf(props.color, 'var(--snap-accent)') } as React.CSSProperties
  return (
    <span className={`snap-badge ${props.variant ?? 'default'}`} style={style}>
      {props.icon && <SnapIcon name={props.icon} />}
      <Words text={props.label} />
    </span>
  )
}

function BarChart({ element: { props } }: Of<'bar_chart'>) {
  const most = props.max ?? Math.max(...props.bars.map(({ value }) => value))
  return (
    <ul className="snap-bars">
      {props.bars.map(({ label, value, color }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other name, and labels may be the same
        <li key={i}>
          <Words text={label} />
          <span className="snap-track" aria-hidden="true">
            <span
              style={{
                inlineSize: `${most > 0 ? Math.max(0, Math.min(100, (100 * value) / most)) : 0}%`,
                background: colorOf(color ?? props.color, 'var(--snap-accent)'),
              }}
            />
          </span>
          <span className="snap-figure">{value.toLocaleString(locale)}</span>
        </li>
      ))}
    </ul>
  )
}

function Button({ id, element: { props, on } }: Of<'button'>) {
  const { run, isBusy } = useCard()
  const press = on?.press
  return (
    <button
      type="button"
      className={props.variant === 'primary' ? 'snap-button main' : 'snap-button'}
      disabled={!press || isBusy}
      onClick={() => press && run(id, press)}
    >
      {props.icon && <SnapIcon name={props.icon} />}
      <Words text={props.label} />
      {press?.action === 'open_url' && <SnapIcon name="external-link" />}
    </button>
  )
}

const GRID_NAME = 'grid_tap'
/** Between the values of several cells. */
const CELL_SEPARATOR = '|'

function CellGrid({ id, element: { props, on } }: Of<'cell_grid'>) {
  const { run, setInput, inputs, isBusy } = useCard()
  const { name = GRID_NAME, cols, rows, select = 'off' } = props
  const press = on?.press
  const chosen = select === 'off' ? [] : String(inputs[name] ?? '').split(CELL_SEPARATOR)
  const cells = new Map(props.cells.map((cell) => [cell.row * cols + cell.col, cell]))
  const choose = (value: string) => {
    const others = chosen.filter((one) => one !== '' && one !== value)
    const isOn = select === 'off' || !chosen.includes(value)
    const next = [...(select === 'multiple' ? others : []), ...(isOn ? [value] : [])]
    const given = next.join(CELL_SEPARATOR)
    setInput(name, given)
    if (press) run(id, press, { [name]: given })
  }
  const style = {
    gridTemplateColumns: `repeat(${cols}, minmax(0, 1fr))`,
    '--row': `${props.rowHeight ?? 28}px`,
  } as React.CSSProperties
  const isPlain = select === 'off' && !press
  return (
    <div
      className={`snap-grid gap-${props.gap ?? 'sm'} width-${props.maxWidth ?? 'lg'} ${props.cellAspectRatio ?? 'auto'}`}
      style={style}
    >
      {Array.from({ length: rows * cols }, (_, at) => {
        const cell = cells.get(at)
        const value = cell?.value ?? `${Math.floor(at / cols)},${at % cols}`
        const look = {
          background: colorOf(cell?.color, 'var(--sunken)'),
          ...(cell?.textColor ? ink(cell.textColor) : cell?.color && { color: inkOn(cell.color) }),
        }
        const content = cell?.content && <Words text={cell.content} />
        const key = `${at}`
        if (isPlain) {
          return (
            <span key={key} className="snap-cell" style={look}>
              {content}
            </span>
          )
        }
        return (
          <button
            key={key}
            type="button"
            className="snap-cell"
            style={look}
            disabled={isBusy}
            aria-label={
              cell?.content
                ? cleanText(cell.content)
                : t('Row {at}, column {at2}', {
                    at: Math.floor(at / cols) + 1,
                    at2: (at % cols) + 1,
                  })
            }
            aria-pressed={select === 'off' ? undefined : chosen.includes(value)}
            onClick={() => choose(value)}
          >
            {content}
          </button>
        )
      })}
    </div>
  )
}

/** Black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance). */
function inkOn(color: string): string {
  const hex = /^#(..)(..)(..)$/.exec(color.trim())
  if (!hex) return 'var(--snap-on-color)'
  const [red, green, blue] = hex.slice(1).map((part) => {
    const share = Number.parseInt(part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  return luminance > 0.179 ? '#000' : '#fff'
}

function Image({ element: { props } }: Of<'image'>) {
  const words = props.title ?? props.subtitle
  return (
    <figure className="snap-image" style={{ aspectRatio: props.aspect.replace(':', ' / ') }}>
      <Picture url={props.url} width={640} alt={cleanText(props.alt ?? '')} />
      {words && (
        <figcaption>
          {props.title && (
            <b>
              <Words text={props.title} />
            </b>
          )}
          {props.subtitle && <Words text={props.subtitle} />}
        </figcaption>
      )}
    </figure>
  )
}

function TextInput({ element: { props } }: Of<'input'>) {
  const id = useId()
  const { inputs, setInput } = useCard()
  return (
    <div className="field snap-field">
      {props.label && (
        <label htmlFor={id}>
          <Words text={props.label} />
        </label>
      )}
      <input
        id={id}
        type="text"
        inputMode={props.type === 'number' ? 'decimal' : undefined}
        dir="auto"
        autoComplete="off"
        maxLength={props.maxLength ?? 280}
        placeholder={props.placeholder}
        aria-label={props.label ? undefined : (props.placeholder ?? props.name)}
        value={String(inputs[props.name] ?? '')}
        onChange={({ target }) => setInput(props.name, target.value)}
      />
    </div>
  )
}

function Item({ element: { props, children } }: Of<'item'>) {
  const { media } = props
  return (
    <div className={`snap-item ${props.variant ?? 'default'}`}>
      {media?.variant === 'icon' && (
        <span className="snap-icon md" style={ink(media.color)}>
          <SnapIcon name={media.name} />
        </span>
      )}
      {media?.variant === 'image' && (
        <span className={media.round ? 'snap-thumb round' : 'snap-thumb'}>
          <Picture url={media.url} width={96} alt={cleanText(media.alt ?? '')} />
        </span>
      )}
      <span className="snap-item-words">
        {props.title && (
          <b>
            <Words text={props.title} />
          </b>
        )}
        {props.description && (
          <span className="muted">
            <Words text={props.description} />
          </span>
        )}
      </span>
      <Children ids={children} />
    </div>
  )
}

function ItemGroup({ element: { props, children } }: Of<'item_group'>) {
  const flags = [props.border && 'bordered', props.separator && 'lined'].filter(Boolean).join(' ')
  return (
    <div className={`snap-group gap-${props.gap ?? 'none'} ${flags}`}>
      <Children ids={children} />
    </div>
  )
}

function Paginator({ element: { props, children = [] } }: Of<'paginator'>) {
  const { shown, setShown } = useCard()
  const at = Math.min(shown, children.length - 1)
  const controls = props.showControls !== false && children.length > 1 && (
    <div className="snap-pages">
      <button
        type="button"
        className="icon-button"
        aria-label={t('Previous page')}
        disabled={at <= 0}
        onClick={() => setShown(at - 1)}
      >
        <SnapIcon name="arrow-left" />
      </button>
      {props.showIndicators !== false && (
        <span aria-live="polite">
          {t('{at} of {count}', { at: at + 1, count: children.length })}
        </span>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label={t('Next page')}
        disabled={at >= children.length - 1}
        onClick={() => setShown(at + 1)}
      >
        <SnapIcon name="arrow-right" />
      </button>
    </div>
  )
  const shownId = children[at]
  return (
    <div className="snap-group gap-md">
      {props.controlsPosition === 'top' && controls}
      {shownId !== undefined && <Element id={shownId} />}
      {props.controlsPosition !== 'top' && controls}
    </div>
  )
}

function Progress({ element: { props } }: Of<'progress'>) {
  const id = useId()
  return (
    <div className="snap-field">
      {props.label && (
        <label htmlFor={id}>
          <Words text={props.label} />
        </label>
      )}
      <progress
        id={id}
        value={props.value}
        max={props.max}
        aria-label={props.label ? undefined : t('Progress')}
      />
    </div>
  )
}

function Slider({ element: { props } }: Of<'slider'>) {
  const id = useId()
  const { inputs, setInput } = useCard()
  const value = Number(inputs[props.name])
  return (
    <div className="snap-field">
      <span className="snap-slider-head">
        {props.label && (
          <label htmlFor={id}>
            <Words text={props.label} />
          </label>
        )}
        {props.showValue && <output htmlFor={id}>{value.toLocaleString(locale)}</output>}
      </span>
      <input
        id={id}
        type="range"
        min={props.min}
        max={props.max}
        step={props.step ?? 1}
        value={value}
        aria-label={props.label ? undefined : props.name}
        onChange={({ target }) => setInput(props.name, Number(target.value))}
      />
    </div>
  )
}

/** Labels beside each other have room for so many characters together, by their number: as deployed clients count. */
const ROW_CHARACTERS: Readonly<Record<number, number>> = { 2: 20, 3: 15, 4: 11, 5: 8 }

function isRow(labels: readonly string[]): boolean {
  const characters = labels.reduce((sum, label) => sum + [...label.trim()].length, 0)
  return labels.length < 2 || characters <= (ROW_CHARACTERS[labels.length] ?? 0)
}

function Stack({ element: { props, children = [] } }: Of<'stack'>) {
  const { elements } = useCard().page.ui
  const labels = children.flatMap((id) => {
    const child = elements[id]
    return child?.type === 'button' ? [child.props.label] : []
  })
  const areButtons = labels.length > 0 && labels.length === children.length
  const asked = props.direction ?? 'vertical'
  const direction = areButtons ? (isRow(labels) ? 'horizontal' : 'vertical') : asked
  const isEven = props.equalWidth || props.columns || areButtons
  const classes = [
    'snap-stack',
    direction,
    `gap-${props.gap ?? (areButtons ? 'sm' : 'md')}`,
    `justify-${props.justify ?? 'start'}`,
    direction === 'horizontal' && isEven ? 'even' : '',
  ]
  return (
    <div className={classes.join(' ')}>
      <Children ids={children} />
    </div>
  )
}

function Switch({ element: { props } }: Of<'switch'>) {
  const { inputs, setInput } = useCard()
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={inputs[props.name] === true}
        aria-label={props.label ? undefined : props.name}
        onChange={({ target }) => setInput(props.name, target.checked)}
      />
      {props.label && <Words text={props.label} />}
    </label>
  )
}

function Text({ element: { props } }: Of<'text'>) {
  const style: React.CSSProperties = {
    textAlign: ALIGNS[props.align ?? 'left'],
    ...(props.maxLines && { WebkitLineClamp: props.maxLines }),
  }
  const classes = [
    'snap-text',
    props.size ?? 'md',
    props.weight ?? 'normal',
    props.maxLines && 'cut',
  ]
  return (
    <p className={classes.filter(Boolean).join(' ')} style={style} dir="auto">
      {cleanText(props.content)}
    </p>
  )
}
const ALIGNS = { left: 'start', center: 'center', right: 'end' } as const

function ToggleGroup({ element: { props } }: Of<'toggle_group'>) {
  const id = useId()
  const { inputs, setInput } = useCard()
  const { name, options, values = options, multiple = false } = props
  const chosen: readonly SnapValue[] = [inputs[name] ?? []].flat()
  const choose = (option: string) => {
    if (!multiple) return setInput(name, option)
    const others = chosen.filter((one) => one !== option) as string[]
    setInput(name, chosen.includes(option) ? others : [...others, option])
  }
  return (
    <fieldset className={`snap-options ${isRow(options) ? 'horizontal' : 'vertical'}`}>
      {props.label ? (
        <legend>
          <Words text={props.label} />
        </legend>
      ) : (
        <legend className="unseen">{name}</legend>
      )}
      {options.map((option, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options may have the same text, and never move
        <label key={i}>
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.includes(values[i]!)}
            onChange={() => choose(values[i]!)}
          />
          <Words text={option} />
        </label>
      ))}
    </fieldset>
  )
}
