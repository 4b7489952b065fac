import { Rejection } from '../../kernel/protocol/rejection.ts'

/** In place of a path: calls of accounts, such as a registration, are confirmed later. */
export const CHAIN = 'chain'
/** Every page of the web client. */
const ANY_PAGE = '/*'

/** The paths that requests of a network can have: a fault for another one would never happen, and a test prove nothing. */
export class FaultPaths {
  readonly #patterns = new Set<string>()
  /** What the paths of an interface, or of a gRPC service, begin with. */
  readonly #prefixes = new Set<string>()

  /** A route of an interface below its prefix, or of the web client, which has none. */
  add(prefix: string, pattern: string): void {
    if (pattern === ANY_PAGE) return
    this.#patterns.add(prefix + pattern)
    if (prefix !== '') this.#prefixes.add(prefix)
  }

  /** Throws a Rejection for a path that an interface would have if it were not mistyped. */
  check(path: string, field: string): void {
    if (path === CHAIN || this.#isKnown(path)) return
    const meant = [...this.#prefixes]
      .map((prefix) => prefix + path)
      .find((one) => this.#isKnown(one))
    const isBelow = [...this.#prefixes].some((prefix) => path.startsWith(`${prefix}/`))
    if (!meant && !isBelow) return
    const advice = meant ? `write ${meant}` : 'the paths of an interface are at its /docs'
    throw new Rejection('bad_request.invalid_param', `no request has the path ${path}: ${advice}`, {
      field,
    })
  }

  #isKnown(path: string): boolean {
    return [...this.#patterns].some((pattern) => matches(pattern.split('/'), path))
  }
}

function matches(pattern: readonly string[], path: string): boolean {
  const isOpen = path.endsWith('*')
  const parts = (isOpen ? path.slice(0, -1) : path).split('/')
  const rest = pattern.indexOf('*')
  const known = rest === -1 ? pattern : pattern.slice(0, rest)
  if (parts.length > known.length && rest === -1) return false
  if (parts.length < known.length && !isOpen) return false
  return known.every((part, i) => {
    const given = parts[i]
    if (given === undefined || part.startsWith(':')) return true
    return isOpen && i === parts.length - 1 ? part.startsWith(given) : part === given
  })
}
