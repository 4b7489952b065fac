// The lists of a scripted hub, with the page tokens of the deployed one.

import * as grpc from '@grpc/grpc-js'
import type { SignedMessage } from '../../src/kernel/protocol/message.ts'
import { isAdd, mentionsOf } from '../../src/kernel/protocol/slots.ts'
import { MessageType } from '../../src/kernel/protocol/wire/message_pb.js'
import { CallError } from './call-error.ts'
import { type FakeShard, hexOf, type Stored } from './shard.ts'

export type PageRequest = {
  readonly pageSize?: number
  readonly pageToken?: Uint8Array
  readonly reverse?: boolean
}
export type Page<T> = { readonly items: T[]; readonly nextPageToken?: Uint8Array }

const MESSAGES_PER_PAGE = 10_000

/** A page of items in the order of their keys. A full page has a token, also when it is the last. */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { pageSize = MESSAGES_PER_PAGE, pageToken, reverse = false }: PageRequest,
): Page<T> {
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  if (reverse) sorted.reverse()
  const last = pageToken?.length ? hexOf(pageToken) : undefined
  const rest = sorted.filter((item) => {
    if (last === undefined) return true
    return reverse ? keyOf(item) < last : keyOf(item) > last
  })
  const page = rest.slice(0, Math.max(1, pageSize))
  const isFull = page.length >= pageSize
  return {
    items: page,
    ...(isFull && { nextPageToken: Buffer.from(keyOf(page.at(-1)!), 'hex') }),
  }
}

/** The order of all lists of messages: time, then hash. */
export function messageKey({ data, hash }: Stored): string {
  return data.timestamp.toString(16).padStart(8, '0') + hash
}

export const TYPES = {
  casts: [MessageType.CAST_ADD, MessageType.CAST_REMOVE],
  reactions: [MessageType.REACTION_ADD, MessageType.REACTION_REMOVE],
  links: [MessageType.LINK_ADD, MessageType.LINK_REMOVE],
  verifications: [MessageType.VERIFICATION_ADD_ETH_ADDRESS, MessageType.VERIFICATION_REMOVE],
  userData: [MessageType.USER_DATA_ADD],
  lends: [MessageType.LEND_STORAGE],
  usernameProofs: [MessageType.USERNAME_PROOF],
  compactStates: [MessageType.LINK_COMPACT_STATE],
  gaslessKeys: [MessageType.KEY_ADD, MessageType.KEY_REMOVE],
} as const
export type ListName = keyof typeof TYPES

export const isOf = ({ data }: Stored, list: ListName): boolean =>
  (TYPES[list] as readonly MessageType[]).includes(data.type)

export const isAddOf = (stored: Stored, list: ListName): boolean =>
  isOf(stored, list) && isAdd(stored.data.type)

export const mentions = ({ data }: Stored, fid: number): boolean =>
  data.type === MessageType.CAST_ADD && mentionsOf({ data } as SignedMessage).includes(fid)

/** The same page of each shard, joined; the token is an array with the token of each, in the order of this run. */
export function joinedPage<T>(
  shards: readonly FakeShard[],
  request: PageRequest,
  read: (shard: FakeShard, request: PageRequest) => Page<T>,
): Page<T> {
  const tokens = shardTokens(request.pageToken, shards.length)
  const pages = shards.map((shard, i) => {
    const { pageToken: _, ...rest } = request
    return read(shard, { ...rest, ...(tokens[i] && { pageToken: tokens[i] }) })
  })
  const next = pages.map(({ nextPageToken }) => (nextPageToken ? [...nextPageToken] : null))
  return {
    items: pages.flatMap(({ items }) => items),
    nextPageToken: Buffer.from(JSON.stringify(next)),
  }
}

function shardTokens(token: Uint8Array | undefined, shards: number): (Uint8Array | undefined)[] {
  if (!token) return Array.from({ length: shards }, () => undefined)
  let parsed: (number[] | null)[]
  try {
    parsed = JSON.parse(Buffer.from(token).toString())
  } catch (error) {
    throw new CallError(grpc.status.INVALID_ARGUMENT, `Invalid page token: ${error}`)
  }
  if (parsed.length !== shards) {
    throw new CallError(grpc.status.INVALID_ARGUMENT, 'Page token does not match number of shards')
  }
  return parsed.map((part) => part ?? undefined).map((part) => part && Uint8Array.from(part))
}

/** True when all parts of a joined token are null. */
export const isLastToken = (token: Uint8Array): boolean =>
  /^\[(null,?)*\]$/.test(Buffer.from(token).toString())
