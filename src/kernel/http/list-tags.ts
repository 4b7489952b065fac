import { hash } from 'node:crypto'
import { notOfThisList } from '../storage/reads/list-key.ts'
import type { Page, PageRequest } from '../storage/reads/page.ts'
import type { ParamSpecs } from './input/params.ts'
import { camelCase, type Place } from './input/query.ts'

// A position in a list (a page token, a cursor) begins with a tag of its list: a hash of the list's name and of what
// chooses its items. Another list refuses it. Without the tag it would be a position there, too, and silently skip items.

/** Two lists have the same tag in one of 2³² cases. */
const TAG_BYTES = 4
/** The same in base64url. */
const TAG_CHARACTERS = 6

/** The name of a list, and everything that chooses its items and their order. */
export type ListOf = readonly unknown[]

const tagOf = (list: ListOf): Buffer =>
  hash('sha1', JSON.stringify(list), 'buffer').subarray(0, TAG_BYTES)

/** A position in a list as its page token. */
export const tokenOf = (list: ListOf, position: Uint8Array): Uint8Array =>
  Buffer.concat([tagOf(list), position])

/** The position in a page token of this list. Throws a Rejection for the token of another list. */
export function positionOf(list: ListOf, token: Uint8Array): Uint8Array {
  if (token.length <= TAG_BYTES || !tagOf(list).equals(token.subarray(0, TAG_BYTES))) {
    throw notOfThisList()
  }
  return token.subarray(TAG_BYTES)
}

/** What a page token names: the two directions of a list are two lists. */
export const directed = (list: ListOf, reverse = false): ListOf => [...list, reverse]

/** A page of a list. Page tokens have the tag of the list, which `read` does not see. */
export async function pageOfList<T>(
  list: ListOf,
  page: PageRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const own = directed(list, page.reverse)
  const token = page.token && positionOf(own, page.token)
  const { items, next } = await read({ ...page, token })
  return { items, next: next && tokenOf(own, next) }
}

/** How the cursors of a route say which list they are of. */
export type CursorList = Place & {
  /** The answer with the tag of the list in its cursor. */
  tagged<R extends object>(reply: R, query: object): R
}

/** Undefined for a route without a cursor. */
export function cursorList({
  path,
  cursorPath = path,
  query: specs = {},
}: {
  readonly path: string
  readonly cursorPath?: string
  readonly query?: ParamSpecs
}): CursorList | undefined {
  const name = Object.keys(specs).find((one) => specs[one]!.refuseOther)
  if (name === undefined) return undefined
  const choosing = Object.keys(specs)
    .filter((one) => one !== name && !specs[one]!.isOfPage)
    .map(camelCase)
  const tagFor = (values: object) =>
    tagOf([cursorPath, ...choosing.map((key) => values[key as keyof object])]).toString('base64url')
  return {
    name,
    positionOf(cursor, values) {
      const tag = cursor.slice(0, TAG_CHARACTERS)
      if (tag !== tagFor(values)) throw specs[name]!.refuseOther!(name)
      return cursor.slice(TAG_CHARACTERS)
    },
    tagged(reply, values) {
      const { next, result } = reply as Continued & { result?: Continued }
      const cursor = (next ?? result?.next)?.cursor
      if (typeof cursor !== 'string') return reply
      const tagged = { cursor: tagFor(values) + cursor }
      return next ? { ...reply, next: tagged } : { ...reply, result: { ...result, next: tagged } }
    },
  }
}

type Continued = { readonly next?: { readonly cursor: string | null } }
