import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { HubService } from '../../kernel/protocol/wire/rpc_pb.js'
import { LEVELS } from './read-account.ts'

// What a request is about, by the names of its parameters, which all interfaces share.

/** Whom a request needs. */
export type Subjects = {
  /** By fid: how much of the account. */
  readonly fids: ReadonlyMap<number, number>
  readonly names: readonly string[]
  readonly casts: readonly CastSubject[]
  /** Whose followed people the answer shows, and how much of them. */
  readonly followedBy: { readonly fids: readonly number[]; readonly level: number } | undefined
  /** Whether the answer shows everybody, of whom somebody is to be there. */
  readonly showsEverybody: boolean
}

export type CastSubject = {
  /** The author, where the request names one. */
  readonly fid: number | undefined
  /** In hex, with 0x. */
  readonly hash: string
  /** Whether the answer has the replies to it. */
  readonly hasReplies: boolean
}

/** A request that names more is answered with what is kept of the others. */
const MAX_NAMED = 100

const FID_LEVELS: Readonly<Record<string, number>> = {
  fid: LEVELS.whole,
  viewer_fid: LEVELS.whole,
  target_fid: LEVELS.profile,
  author_fid: LEVELS.profile,
  fids: LEVELS.profile,
}
const NAME_PARAMETERS = ['name', 'username'] as const
export const FID = /^[1-9][0-9]{0,9}$/
/** Accounts without a name, in addresses of the web client. */
const NAMELESS = /^!([1-9][0-9]{0,9})$/
export const NAME = /^[a-z0-9][a-z0-9.-]{0,255}$/

const HASH = /^0x[0-9a-f]{40}$/
/** Parameters that name a cast, and the one that names its author beside it. */
const CAST_PARAMETERS = { hash: 'fid', target_hash: 'target_fid', identifier: '' } as const
const WITH_REPLIES = /\/(?:cast\/conversation|screen\/cast|castsByParent)$/

const FEEDS_OF_FOLLOWED = /\/feed(?:\/(?:following|for_you))?$/
const LISTS_OF_FOLLOWED = /\/following$/
const SHOW_EVERYBODY = /\/(?:feed\/(?:newest|trending)|screen\/discover)$/

/** `url`: path and query of a GET. */
export function subjectsOf(url: string): Subjects {
  const [path = '', search = ''] = url.split('?', 2)
  const query = new URLSearchParams(search)
  const names: string[] = []
  const fids = new Map<number, number>()
  const add = (text: string, level: number) => {
    const fid = Number(text)
    if (FID.test(text) && fids.size < MAX_NAMED) fids.set(fid, Math.max(level, fids.get(fid) ?? 0))
  }
  for (const [name, level] of Object.entries(FID_LEVELS)) {
    for (const text of query.get(name)?.split(',') ?? []) add(text, level)
  }
  for (const name of NAME_PARAMETERS) {
    const text = query.get(name)?.toLowerCase().replace(/^@/, '') ?? ''
    const [, digits] = NAMELESS.exec(text) ?? []
    if (digits) add(digits, LEVELS.whole)
    else if (NAME.test(text)) names.push(text)
  }
  return {
    fids,
    names,
    casts: castsIn(path, query),
    followedBy: followedBy(path, query),
    showsEverybody: SHOW_EVERYBODY.test(path),
  }
}

/** The same of a call over gRPC, by the fields of its request, which are named as the parameters. */
export function subjectsOfCall(path: string, request: Uint8Array): Subjects {
  const method = HubService.methods.find(({ name }) => path.endsWith(`/${name}`))
  const query = new URLSearchParams()
  const asked = method && decoded(method.input, request)
  const add = (name: string, value: unknown) => {
    if (typeof value === 'bigint' && value > 0n) query.set(name, String(value))
    if (value instanceof Uint8Array && name === 'name')
      query.set(name, Buffer.from(value).toString())
    if (value instanceof Uint8Array && name === 'hash') query.set(name, toHex(value))
    const one = value as { case?: string; value?: unknown; fid?: bigint; hash?: Uint8Array }
    if (name !== 'parent' && name !== 'target') return
    if (one.case === 'targetFid') query.set('target_fid', String(one.value))
    const cast = one.value as { fid?: bigint; hash?: Uint8Array } | undefined
    if (!cast?.hash || cast.fid === undefined) return
    const prefix = name === 'target' ? 'target_' : ''
    query.set(`${prefix}fid`, String(cast.fid))
    query.set(`${prefix}hash`, toHex(cast.hash))
  }
  for (const [name, value] of Object.entries(asked ?? {})) add(name, value)
  const read = method?.name === 'GetCastsByParent' ? '/castsByParent' : ''
  return subjectsOf(`${read}?${query}`)
}

/** Bytes that are no request are refused by the method. */
function decoded(schema: DescMessage, request: Uint8Array): Record<string, unknown> | undefined {
  try {
    return fromBinary(schema, request)
  } catch {
    return undefined
  }
}

function castsIn(path: string, query: URLSearchParams): CastSubject[] {
  return Object.entries(CAST_PARAMETERS).flatMap(([parameter, author]) => {
    const hash = query.get(parameter)?.toLowerCase() ?? ''
    if (!HASH.test(hash)) return []
    const text = query.get(author) ?? ''
    const fid = FID.test(text) ? Number(text) : undefined
    return { fid, hash, hasReplies: WITH_REPLIES.test(path) }
  })
}

function followedBy(path: string, query: URLSearchParams): Subjects['followedBy'] {
  const fids = ['fid', 'viewer_fid']
    .map((name) => query.get(name) ?? '')
    .filter((one) => FID.test(one))
  const first = fids.slice(0, 1).map(Number)
  if (first.length === 0) return undefined
  if (FEEDS_OF_FOLLOWED.test(path)) return { fids: first, level: LEVELS.recent }
  return LISTS_OF_FOLLOWED.test(path) ? { fids: first, level: LEVELS.profile } : undefined
}
