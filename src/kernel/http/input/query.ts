import { Rejection, type SchemaFault } from '../../protocol/rejection.ts'
import { missingFault } from '../faults.ts'
import { isNoPlace, type Param, type ParamSpecs } from './params.ts'

/** `target_fid` and `targetFid` name the same parameter. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The names under which a parameter is accepted; the first is the one documented. */
export const namesOf = (name: string, param: Param<unknown>): string[] => {
  const spelled = [name, ...(param.aliases ?? [])]
  return [...new Set([...spelled, ...spelled.map(camelCase), ...spelled.map(snakeCase)])]
}

/** Parses the value of one parameter, or gives its default; an empty one counts as missing. */
function readValue(param: Param<unknown>, text: string | undefined, name: string): unknown {
  if (text !== undefined && text !== '') return param.parse(text, name)
  if (param.absent !== undefined) return param.absent()
  const message = param.missing?.(name) ?? `${name} is missing`
  if (message instanceof Rejection) throw message
  throw new Rejection('bad_request.validation_failure', message, {
    field: name,
    fault: missingFault(name),
  })
}

function decode(text: string, name: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    const message = `${name} has a malformed percent escape`
    throw new Rejection('bad_request.parse_failure', message, { field: name })
  }
}

/** Parses the parameters of one route from the URL of a request. */
export type QueryReader = (url: string) => Record<string, unknown>

/** A parameter that is a place in the list which the others choose. */
export type Place = {
  readonly name: string
  /** What the parameter reads of a cursor. Throws a Rejection for the cursor of another list. */
  positionOf(cursor: string, values: object): string
}

type Slot = { index: number; repeats: boolean }

/**
 * Makes the parser of a route's query. Only declared names are read: values of unknown ones (`__proto__` too) are
 * neither decoded nor stored. Of a list all values count. Any other parameter is refused when it is given twice by
 * one name, or by two of its names with different values: none of them could be right for every client.
 */
export function compileQuery(specs: ParamSpecs, place?: Place): QueryReader {
  const names = Object.keys(specs)
  if (names.length === 0) return () => ({})
  const params = names.map((name) => specs[name]!)
  const keys = names.map(camelCase)
  const slots = new Map<string, Slot>()
  names.forEach((name, index) => {
    for (const spelled of namesOf(name, params[index]!)) {
      const repeats = params[index]!.repeats === true
      slots.set(spelled, { index, repeats })
    }
  })

  return (url) => {
    const texts = findTexts(url, slots, names)
    const values: Record<string, unknown> = {}
    for (let i = 0; i < params.length; i++) {
      if (names[i] !== place?.name) values[keys[i]!] = readValue(params[i]!, texts[i], names[i]!)
    }
    if (place) {
      const text = texts[names.indexOf(place.name)]
      const position = isNoPlace(text) ? undefined : place.positionOf(text, values)
      values[camelCase(place.name)] = readValue(specs[place.name]!, position, place.name)
    }
    return values
  }
}

function findTexts(url: string, slots: Map<string, Slot>, names: string[]): (string | undefined)[] {
  const texts: (string | undefined)[] = new Array(names.length)
  /** The spelling by which each was given. */
  const spellings: string[] = new Array(names.length)
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  if (mark === -1) return texts
  for (let start = mark + 1; start < end; ) {
    let stop = url.indexOf('&', start)
    if (stop === -1 || stop > end) stop = end
    let equals = url.indexOf('=', start)
    if (equals === -1 || equals > stop) equals = stop
    const spelled = url.slice(start, equals)
    const slot = findSlot(slots, spelled)
    if (slot !== undefined) {
      const { index } = slot
      const text = decode(url.slice(equals + 1, stop), names[index]!)
      if (!texts[index]) {
        const isAgain = texts[index] !== undefined && spellings[index] === spelled
        if (isAgain && !slot.repeats) throw repeated(names[index]!)
        texts[index] = text
        spellings[index] = spelled
      } else if (slot.repeats) {
        texts[index] += `,${text}`
      } else if (spellings[index] === spelled || (text !== '' && text !== texts[index])) {
        throw repeated(names[index]!)
      }
    }
    start = stop + 1
  }
  return texts
}

/** The parameter of a name. Some clients percent-encode everything but letters and digits: `from%5Fevent%5Fid`. */
function findSlot(slots: Map<string, Slot>, name: string): Slot | undefined {
  const slot = slots.get(name)
  if (slot !== undefined || !name.includes('%')) return slot
  try {
    return slots.get(decodeURIComponent(name))
  } catch {
    // A malformed escape is in the name of no parameter.
    return undefined
  }
}

function repeated(name: string): Rejection {
  const message = `${name} is given more than once`
  const fault: SchemaFault = {
    instancePath: `/${name}`,
    schemaPath: `#/properties/${name}/type`,
    keyword: 'type',
    params: { type: 'string' },
    message: 'must be given once',
  }
  return new Rejection('bad_request.invalid_param', message, { field: name, fault })
}

/** Parses the path parameters of one route, which the router has decoded. */
export function compilePath(specs: ParamSpecs): (parts: unknown) => Record<string, unknown> {
  const names = Object.keys(specs)
  return (parts) => {
    const texts = parts as Record<string, string>
    const values: Record<string, unknown> = {}
    for (const name of names) values[camelCase(name)] = readValue(specs[name]!, texts[name], name)
    return values
  }
}
