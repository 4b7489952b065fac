import { type MentionedText, namesIn, takeMentions } from '../kernel/protocol/mention-text.ts'
import { MAX_MENTIONS } from '../kernel/protocol/sizes.ts'
import { checkNetwork, checkObject, checkText } from './checks.ts'
import { hasCode } from './error.ts'
import type { Message } from './generated/hub.ts'
import type { Network } from './network.ts'

export type { MentionedText }

/** A long text may hold thousands of names, each of which costs a request: the others stay text. */
const MAX_NAMES_LOOKED_UP = 50

/**
 * Finds the people that a text mentions as `@name`: `castAdd(await mentionsIn(network, 'Hello @alice'))`. What is
 * nobody's name stays text. The hub is asked for each name.
 */
export async function mentionsIn(network: Network, text: string): Promise<MentionedText> {
  checkNetwork(network)
  checkText(text, 'text')
  const fids = new Map<string, number>()
  for (const name of namesIn(text).slice(0, MAX_NAMES_LOOKED_UP)) {
    const fid = await orNothing(
      network.hub.get('/v1/userNameProofByName', { name }).then((proof) => proof.fid),
    )
    if (fid !== undefined) fids.set(name, fid)
    if (fids.size === MAX_MENTIONS) break
  }
  return takeMentions(text, (name) => fids.get(name))
}

/**
 * The text of a cast of the hub as people read it: `@name` where somebody is mentioned, and `@!1` for an account
 * without a name. (Casts of the app API have it as their `text`.) The hub is asked for each account.
 */
export async function textOf(network: Network, cast: Message): Promise<string> {
  checkNetwork(network)
  checkObject(cast, 'the cast', "a message of the hub: hub.get('/v1/castById', { fid: 1, hash })")
  if (cast.data?.type !== 'MESSAGE_TYPE_CAST_ADD') {
    throw new TypeError(`the message must be a cast of the hub, not ${cast.data?.type}`)
  }
  const { text, mentions, mentionsPositions } = cast.data.castAddBody
  const names = new Map<number, string>()
  for (const fid of new Set(mentions)) names.set(fid, await nameOf(network, fid))
  const bytes = new TextEncoder().encode(text)
  const part = (from: number, to?: number) => new TextDecoder().decode(bytes.subarray(from, to))
  const ends = [...mentionsPositions, undefined]
  const rest = mentions.map((fid, i) => `@${names.get(fid)}${part(ends[i]!, ends[i + 1])}`)
  return [part(0, ends[0]), ...rest].join('')
}

async function nameOf({ hub }: Network, fid: number): Promise<string> {
  const input = { fid, user_data_type: 'USERNAME' } as const
  const answer = await orNothing(hub.get('/v1/userDataByFid', input))
  const data = answer && 'data' in answer ? answer.data : undefined
  const isName = data?.type === 'MESSAGE_TYPE_USER_DATA_ADD'
  return (isName && data.userDataBody.value) || `!${fid}`
}

/** Undefined for what the hub does not have. */
const orNothing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error) => {
    if (hasCode(error, 'not_found')) return undefined
    throw error
  })
