import type { RequestInfo } from '../../kernel/http/route.ts'
import type { ServedHere } from '../../kernel/module.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

// The front door reads people, casts and channels as the web client does: through the app API, from the CPU budget of
// the visitor's address. Shared links and feeds therefore show only what is public.

/** What pages for other programs show of a person. */
export type ShownPerson = {
  readonly fid: number
  readonly username: string
  readonly display_name: string | null
  readonly pfp_url: string | null
  readonly profile: { readonly bio: { readonly text: string } }
}

export type ShownCast = {
  readonly hash: string
  readonly author: ShownPerson
  readonly text: string
  /** Of the text, where it can be told. */
  readonly lang?: string
  /** RFC 3339. */
  readonly timestamp: string
  readonly embeds: readonly {
    readonly url?: string
    /** Of files of this server, as is `alt_text`. */
    readonly metadata?: { readonly content_type: string; readonly content_length: number }
    readonly alt_text?: string
    readonly sensitive?: boolean
  }[]
}

export type ShownChannel = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly image_url: string
}

/**
 * Returns undefined for content that is not stored or is hidden by moderation. Throws a Rejection `unavailable` when
 * reading fails: a robot must not take that for a deletion.
 */
export type AppReader = {
  person(name: string): Promise<ShownPerson | undefined>
  cast(hash: string): Promise<ShownCast | undefined>
  channel(id: string): Promise<ShownChannel | undefined>
  /** The newest first. */
  castsOf(fid: number): Promise<readonly ShownCast[]>
  castsIn(channel: string): Promise<readonly ShownCast[]>
}

type Client = Pick<RequestInfo, 'ip'>

const PREFIX = '/v2/farcaster'
/** The public key of the web client. */
const HEADERS = { 'x-api-key': 'web' }
const TIMEOUT_MS = 5_000
/** Not stored, or never storable because it breaks a rule. */
const NOT_STORED = [400, 404]
/** Casts of a feed. */
const FEED_CASTS = 25

/** Reads for one client; `app` answers requests for the app API, if there is one. */
export function createAppReader(app: () => ServedHere | undefined): (client: Client) => AppReader {
  const read = async <T>({ ip }: Client, path: string, query: Record<string, string>) => {
    const answer = await app()
      ?.inject({
        url: PREFIX + path,
        query,
        headers: HEADERS,
        remoteAddress: ip,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      .catch(() => undefined)
    if (answer?.statusCode === 200) return answer.json() as T
    if (answer && NOT_STORED.includes(answer.statusCode)) return undefined
    throw new Rejection('unavailable', 'the app API gives no answer at the moment')
  }
  return (client) => {
    const get = <T>(path: string, query: Record<string, string>) => read<T>(client, path, query)
    const casts = async (path: string, query: Record<string, string>) =>
      (await get<{ casts: ShownCast[] }>(path, { ...query, limit: String(FEED_CASTS) }))?.casts ??
      []
    return {
      person: async (name) => {
        const [, fid] = /^!([0-9]{1,10})$/.exec(name) ?? []
        if (fid === undefined) {
          return (await get<{ user: ShownPerson }>('/user/by_username', { username: name }))?.user
        }
        return (await get<{ users: ShownPerson[] }>('/user/bulk', { fids: fid }))?.users[0]
      },
      cast: async (hash) =>
        (await get<{ cast: ShownCast }>('/cast', { identifier: hash, type: 'hash' }))?.cast,
      channel: async (id) =>
        (await get<{ channel: ShownChannel }>('/channel', { id, type: 'id' }))?.channel,
      castsOf: (fid) => casts('/feed/user/casts', { fid: String(fid), include_replies: 'false' }),
      castsIn: (channel) => casts('/feed/channels', { channel_ids: channel }),
    }
  }
}
