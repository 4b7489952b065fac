import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { isLoopbackHost } from '../../kernel/base/web-domain.ts'
import { ACTIONS, type AnySpec, elementSpec, type SnapElement, type SnapPress } from './elements.ts'
import { error, lineOf, type SnapFault, type SnapRule, warning } from './faults.ts'
import type { SnapPage, SnapValue } from './types.ts'
import { COLORS, DEFAULT_ACCENT, EFFECTS, LIMITS, type SnapVersion, VERSIONS } from './words.ts'

// The page that a snap answers: its structure is refused as the published validator refuses it. What is wrong about one
// element is told, and the element drawn as deployed clients draw it, which look at no schema; it is left out where that gives nothing.

export type ReadPage = {
  /** Undefined when there is an error among the faults. */
  readonly page: SnapPage | undefined
  /** Set when the page is of a version that comes after those known here. */
  readonly newerVersion?: string
  readonly faults: readonly SnapFault[]
}

type Terms = { readonly allowLoopback: boolean }
type Dict = Readonly<Record<string, unknown>>

const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the JSON that a snap answered. */
export function readPage(document: unknown, terms: Terms): ReadPage {
  const faults: SnapFault[] = []
  const refuse = (...given: Parameters<typeof error>) => {
    faults.push(error(...given))
    return { page: undefined, faults }
  }
  if (!isDict(document)) return refuse('json', 'the answer is no JSON object', 'Answer one page.')
  const { version, theme = {}, effects, ui, ...others } = document
  if (!VERSIONS.includes(version as SnapVersion)) {
    const read = refuse('version', 'is not known', `Write "${VERSIONS.at(-1)}".`, 'version')
    return isNewer(version) ? { ...read, newerVersion: version } : read
  }
  const unknown = Object.keys(others)[0]
  if (unknown) return refuse('page', 'is not a known field', 'Remove it.', unknown)
  const { accent = DEFAULT_ACCENT, ...themeOthers } = isDict(theme) ? theme : {}
  const isAccent = COLORS.some((one) => one === accent)
  if (!isDict(theme) || !isAccent || Object.keys(themeOthers).length > 0) {
    return refuse(
      'page',
      'has more than a known accent',
      `Write { "accent": "${COLORS[0]}" }.`,
      'theme',
    )
  }
  const known = effects === undefined ? [] : effects
  if (!Array.isArray(known) || !known.every((one) => EFFECTS.includes(one))) {
    return refuse(
      'page',
      'must be a list of known effects',
      `Use ${EFFECTS.join(', ')}.`,
      'effects',
    )
  }
  if (!isDict(ui) || typeof ui.root !== 'string' || !isDict(ui.elements)) {
    return refuse(
      'page',
      'has no root and elements',
      'Write { "root": "id", "elements": { … } }.',
      'ui',
    )
  }
  const read = readElements(ui.root, ui.elements, version as SnapVersion, terms)
  faults.push(...read.faults)
  if (faults.some(({ severity }) => severity === 'error')) return { page: undefined, faults }
  const inputs = inputsIn(ui.state)
  const page: SnapPage = {
    version: version as SnapVersion,
    theme: { accent: accent as SnapPage['theme']['accent'] },
    ...(known.length > 0 && { effects: [...new Set(known)] }),
    ui: { root: ui.root, elements: read.elements, ...(inputs && { state: { inputs } }) },
  }
  return { page, faults }
}

const isNewer = (version: unknown): version is string =>
  typeof version === 'string' && /^\d{1,3}\.\d{1,3}$/.test(version) && Number(version) > 2

function inputsIn(state: unknown): Record<string, SnapValue> | undefined {
  if (!isDict(state) || !isDict(state.inputs)) return undefined
  return Object.fromEntries(
    Object.entries(state.inputs).filter(([, value]) => isValue(value)),
  ) as Record<string, SnapValue>
}

export const isValue = (value: unknown): value is SnapValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'))

type Elements = {
  readonly elements: Record<string, SnapElement>
  readonly faults: readonly SnapFault[]
}

/** The elements below the root that can be drawn. */
function readElements(root: string, given: Dict, version: SnapVersion, terms: Terms): Elements {
  const structure = structureFault(root, given, version)
  if (structure) return { elements: {}, faults: [structure] }
  const faults: SnapFault[] = []
  const drawn = new Map<string, SnapElement>()
  for (const [id, element] of Object.entries(given)) {
    const read = readElement(element as Dict, `ui.elements.${id}`, version, terms)
    faults.push(...read.faults)
    if (read.element) drawn.set(id, read.element)
  }
  if (!drawn.has(root))
    faults.push(error('structure', 'cannot be drawn', 'Mend the root.', 'ui.root'))
  for (const [id, element] of drawn) {
    if (!element.children) continue
    const children = element.children.filter((child) => drawn.has(child))
    for (const child of element.children) {
      if (Object.hasOwn(given, child)) continue
      const fix = 'Add the element, or remove its id.'
      faults.push(
        warning('structure', `names ${short(child)}, which is not there`, fix, `ui.elements.${id}`),
      )
    }
    drawn.set(id, { ...element, children } as SnapElement)
  }
  return { elements: Object.fromEntries(drawn), faults }
}

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60)

/** The first limit of the tree that the elements are above. */
function structureFault(root: string, elements: Dict, version: SnapVersion): SnapFault | undefined {
  const at = 'ui.elements'
  const limits = LIMITS[version]
  if (!Object.hasOwn(elements, root)) {
    return error(
      'structure',
      `${short(root)} is not among the elements`,
      'Name one that is.',
      'ui.root',
    )
  }
  const entries = Object.entries(elements)
  if (entries.length > limits.elements) {
    return error('limits', `are ${entries.length}`, `Keep at most ${limits.elements} elements.`, at)
  }
  for (const [id, element] of entries) {
    const path = `${at}.${id}`
    if (!isDict(element))
      return error('structure', 'is no object', 'Write { "type": …, "props": … }.', path)
    const { type, children = [], props = {} } = element
    if (typeof type !== 'string' || !elementSpec(type, version)) {
      return error(
        'structure',
        `has the unknown type ${short(type)}`,
        'Use one of the 17 types.',
        path,
      )
    }
    if (!isDict(props)) return error('structure', 'are no object', 'Write { … }.', `${path}.props`)
    if (!Array.isArray(children) || !children.every((child) => typeof child === 'string')) {
      return error(
        'structure',
        'must be a list of ids',
        'Write ["first", "second"].',
        `${path}.children`,
      )
    }
    const max = id === root ? limits.rootChildren : limits.children
    if (type !== 'paginator' && children.length > max) {
      return error('limits', `has ${children.length} children`, `Keep at most ${max}.`, path)
    }
  }
  const paginators = entries.filter(([, element]) => (element as Dict).type === 'paginator')
  if (paginators.length > limits.paginators) {
    return error('limits', 'have several paginators', `Keep ${limits.paginators}.`, at)
  }
  const levels = levelsBelow(root, elements, limits.levels)
  if (levels === undefined)
    return error('structure', 'contains itself', 'Remove the circle.', 'ui.root')
  if (levels > limits.levels) {
    return error(
      'limits',
      `has ${levels} levels`,
      `Nest at most ${limits.levels} levels.`,
      'ui.root',
    )
  }
  return undefined
}

/** The levels of the tree, or undefined when an element is below itself. No more than one above the limit are counted. */
function levelsBelow(root: string, elements: Dict, max: number): number | undefined {
  let level = new Map<string, readonly string[]>([[root, []]])
  let levels = 0
  while (level.size > 0 && levels <= max) {
    const next = new Map<string, readonly string[]>()
    for (const [id, above] of level) {
      if (above.includes(id)) return undefined
      const { children = [] } = (elements[id] ?? {}) as { children?: readonly string[] }
      for (const child of children) {
        if (Object.hasOwn(elements, child)) next.set(child, [...above, id])
      }
    }
    levels += 1
    level = next
  }
  return levels
}

type ReadElement = {
  readonly element?: SnapElement
  readonly faults: readonly SnapFault[]
}

function readElement(given: Dict, path: string, version: SnapVersion, terms: Terms): ReadElement {
  const type = given.type as string
  const spec = elementSpec(type, version)!
  const { props, faults } = readProps(spec, withShortLists(given.props ?? {}), `${path}.props`)
  const urls = urlFaults(type, props ?? {}, `${path}.props`, terms)
  const press = readPress(given.on, `${path}.on.press`, terms)
  const found = [...faults, ...urls, ...press.faults]
  if (!props || found.some(({ severity }) => severity === 'error')) return { faults: found }
  const children = spec.isContainer && (given.children as readonly string[] | undefined)
  const element = {
    type,
    props,
    ...(children && { children }),
    ...(press.press && { on: { press: press.press } }),
  } as SnapElement
  return { element, faults: found }
}

/** More items than any list of a page may have. What is behind them is not looked at, and the list is told as too long. */
const MAX_LIST_ITEMS = 1_024

const withShortLists = (props: unknown): unknown =>
  isDict(props)
    ? Object.fromEntries(
        Object.entries(props).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.slice(0, MAX_LIST_ITEMS) : value,
        ]),
      )
    : props

/** The properties of an element as they are drawn, and what is wrong about them. */
function readProps(
  { props: schema, lenient, sent, check, settle }: AnySpec,
  given: unknown,
  path: string,
): { readonly props: Dict | undefined; readonly faults: readonly SnapFault[] } {
  const told = mended('props', schema, given, path)
  const left = sent && told.faults.length > 0 ? sendable(sent, given as Dict, path) : undefined
  const drawn =
    lenient && told.faults.length > 0 ? mended('props', lenient, left?.value ?? given, path) : told
  const faults = [...told.faults, ...(left?.faults ?? []), ...drawn.faults]
  const { value } = drawn
  const deeper = value && check?.(value as never)
  if (deeper) faults.push(warning('props', deeper.message, deeper.fix, `${path}.${deeper.path}`))
  return {
    props: value && settle ? (settle(value as never) as Dict) : value,
    // Both schemas tell the same of what they have in common.
    faults: [...new Map(faults.map((fault) => [lineOf(fault), fault])).values()],
  }
}

/** Properties without the items of a list that no press can send as they are. */
function sendable({ list, item }: NonNullable<AnySpec['sent']>, given: Dict, path: string) {
  const items = given[list]
  if (!Array.isArray(items)) return { value: given, faults: [] }
  const check = compiled.getOrInsertComputed(item, () => Compile(item))
  const faults = items.flatMap((one, i) => {
    if (check.Check(one)) return []
    const found = check.Errors(one)
    const deepest = found.find(({ instancePath }) => instancePath !== '') ?? found[0]!
    // The strict schema tells its limit, which is the one to keep.
    if (found.some(({ keyword }) => keyword === 'maxLength')) return []
    const at = [path, list, i, ...deepest.instancePath.split('/').filter(Boolean)]
    return [warning('props', deepest.message, 'Change or remove it.', at.join('.'))]
  })
  return { value: { ...given, [list]: items.filter((one) => check.Check(one)) }, faults }
}

function readPress(
  on: unknown,
  path: string,
  terms: Terms,
): { readonly press?: SnapPress; readonly faults: readonly SnapFault[] } {
  const press = isDict(on) ? on.press : undefined
  if (press === undefined) return { faults: [] }
  const { action, params = {} } = isDict(press) ? press : {}
  if (typeof action !== 'string' || !Object.hasOwn(ACTIONS, action)) {
    const fix = `Use one of ${Object.keys(ACTIONS).join(', ')}.`
    return { faults: [warning('actions', `has the unknown action ${short(action)}`, fix, path)] }
  }
  const schema = ACTIONS[action as keyof typeof ACTIONS]
  const { value, faults } = mended('actions', schema, params, `${path}.params`)
  if (!value) return { faults }
  const { target } = value as { target?: string }
  const wrong = target === undefined ? undefined : urlFault(target, terms)
  if (wrong) return { faults: [...faults, error('urls', wrong, URL_FIX, `${path}.params.target`)] }
  return { press: { action, params: value } as SnapPress, faults }
}

const URL_FIX = 'Write an https URL; http only with localhost, while you develop.'

function urlFaults(type: string, props: Dict, path: string, terms: Terms): SnapFault[] {
  const media = type === 'item' && isDict(props.media) ? props.media : {}
  const urls = { ...(type === 'image' && { url: props.url }), 'media.url': media.url }
  return Object.entries(urls).flatMap(([at, url]) => {
    const wrong = typeof url === 'string' && urlFault(url, terms)
    return wrong ? [error('urls', wrong, URL_FIX, `${path}.${at}`)] : []
  })
}

/** Why a URL may not stand in a page. */
function urlFault(text: string, { allowLoopback }: Terms): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'is no URL'
  if (url.protocol === 'https:') return undefined
  if (url.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return 'must begin with https://'
  return allowLoopback ? undefined : 'is on this machine'
}

/** Values that are changed in one object before it is given up. */
const MAX_MENDS = 32
const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/**
 * A value as its schema has it: texts that are too long are cut, numbers become texts, and optional fields of another kind are
 * left out. Undefined when that does not help.
 */
function mended(
  rule: SnapRule,
  schema: TSchema,
  given: unknown,
  path: string,
): { readonly value: Dict | undefined; readonly faults: readonly SnapFault[] } {
  const check = compiled.getOrInsertComputed(schema, () => Compile(schema))
  const value = structuredClone(given) as Record<string, unknown>
  const faults: SnapFault[] = []
  for (let mends = 0; mends < MAX_MENDS; mends++) {
    if (check.Check(value)) return { value, faults }
    const found = check.Errors(value)
    const wrong = found.find(({ keyword }) => !GENERAL.includes(keyword)) ?? found[0]!
    const at = wrong.instancePath.slice(1).split('/').filter(Boolean)
    const field = fieldOf(wrong)
    const message = MESSAGES[wrong.keyword] ?? wrong.message
    const where = [path, ...at, ...field].join('.')
    // A field that was removed here is not told again.
    if (!faults.at(-1)?.path?.startsWith(where)) {
      faults.push(warning(rule, message, fixOf(wrong), where))
    }
    const mend = textFor(wrong, valueAt(value, at))
    if (mend !== undefined)
      Object.assign(valueAt(value, at.slice(0, -1)) as object, { [at.at(-1)!]: mend })
    else if (!remove(value, wrong.keyword === 'additionalProperties' ? [...at, ...field] : at))
      break
  }
  return { value: undefined, faults }
}

/** Errors that say nothing by themselves. */
const GENERAL = ['anyOf', 'boolean', 'const']
const MESSAGES: Partial<Record<string, string>> = {
  required: 'is missing',
  additionalProperties: 'is not a known field',
}

/** The field of an object that an error about the object names. */
function fieldOf(wrong: TLocalizedValidationError): string[] {
  if (wrong.keyword === 'required') return wrong.params.requiredProperties.slice(0, 1)
  if (wrong.keyword === 'additionalProperties') return wrong.params.additionalProperties.slice(0, 1)
  return []
}

function fixOf(wrong: TLocalizedValidationError): string {
  switch (wrong.keyword) {
    case 'maxLength':
      return `Shorten it to ${wrong.params.limit} characters.`
    case 'enum':
      return `Write one of ${wrong.params.allowedValues.join(', ')}.`
    case 'required':
      return 'Add it.'
    default:
      return 'Change or remove it.'
  }
}

/** Removes a field of a value, or the field of the value that contains it. False when it is the value itself. */
function remove(value: Record<string, unknown>, at: readonly string[]): boolean {
  const isStrict = at.length === 2 && isDict(value[at[0]!])
  const holder = isStrict ? (value[at[0]!] as Record<string, unknown>) : value
  const key = isStrict ? at[1] : at[0]
  if (key === undefined) return false
  return Object.hasOwn(holder, key) && delete holder[key]
}

/** The text in place of a value that is too long, or a number where a text should be. */
function textFor(wrong: TLocalizedValidationError, value: unknown): string | undefined {
  if (wrong.keyword === 'maxLength') return (value as string).slice(0, wrong.params.limit)
  const isText = wrong.keyword === 'type' && wrong.params.type === 'string'
  return isText && typeof value === 'number' ? String(value) : undefined
}

const valueAt = (value: unknown, at: readonly string[]): unknown =>
  at.reduce<unknown>((one, key) => (one as Dict)[key], value)
