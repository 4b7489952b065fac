import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName } from '../../shared/text.ts'
import type { HubEvent } from '../live.ts'
import type { User } from '../types.ts'
import { handleOf } from './person.tsx'

// What an event says, in a line.

type Described = { readonly kind: string; readonly text: ReactNode }
// biome-ignore lint/suspicious/noExplicitAny: bodies of events as the hub writes them
type Json = any

/** The accounts that a list of events names, as they are called. */
export const NamesContext = createContext<ReadonlyMap<number, User>>(new Map())

const useHandle = (fid: number): string => {
  const user = useContext(NamesContext).get(fid)
  return user ? handleOf(user) : `@!${fid}`
}

function Who({ fid }: { fid: number }) {
  const handle = useHandle(fid)
  return (
    <Link to={`/@!${fid}`}>
      <bdi>{handle}</bdi>
    </Link>
  )
}

function CastLink({ id }: { id: Json }) {
  const handle = useHandle(Number(id?.fid))
  if (!id?.hash) return t('{aPost}')
  return (
    <Link to={`/cast/${id.hash}`}>
      {rich('{aPost} of {handle}', { handle: <bdi>{handle}</bdi> })}
    </Link>
  )
}

/** The accounts that an event names. */
export function fidsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    /^(?:fid|targetFid)$/.test(name) && Number(one) > 0 ? Number(one) : fidsIn(one),
  )
}

export function describeEvent(event: HubEvent): Described {
  switch (event.type) {
    case 'HUB_EVENT_TYPE_MERGE_MESSAGE':
      return message(event.mergeMessageBody?.message)
    case 'HUB_EVENT_TYPE_PRUNE_MESSAGE':
      return message(event.pruneMessageBody?.message, (text) =>
        rich('{text} (removed: no room was left)', { text }),
      )
    case 'HUB_EVENT_TYPE_REVOKE_MESSAGE':
      return message(event.revokeMessageBody?.message, (text) =>
        rich('{text} (removed with its key)', { text }),
      )
    case 'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF':
      return { kind: t('name'), text: name(event.mergeUsernameProofBody) }
    case 'HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT':
      return { kind: t('account'), text: chainEvent(event.mergeOnChainEventBody?.onChainEvent) }
    default:
      return { kind: t('other'), text: <English>{event.type}</English> }
  }
}

function message(one: Json, fated = (text: ReactNode) => text): Described {
  const data = one?.data
  const { kind, text } = data
    ? ofType(data, one.hash)
    : { kind: t('message'), text: t('A message without data') }
  return { kind, text: fated(text) }
}

const MAX_TEXT_CHARACTERS = 90

function quoted(text: unknown): string {
  const characters = [...cleanLine(String(text ?? ''))]
  const shown = characters.slice(0, MAX_TEXT_CHARACTERS).join('')
  return characters.length > MAX_TEXT_CHARACTERS ? `“${shown}…”` : `“${shown}”`
}

const cleanLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

function ofType(data: Json, hash: string): Described {
  const who = <Who fid={data.fid} />
  const bare = String(data.type).replace('MESSAGE_TYPE_', '')
  switch (bare) {
    case 'CAST_ADD':
      return {
        kind: data.castAddBody?.parentCastId ? t('reply') : t('{post}'),
        text: rich('{who} wrote <link>{aPost}</link>: {quoted}', {
          who,
          link: (inner) => <Link to={`/cast/${hash}`}>{inner}</Link>,
          quoted: <bdi>{quoted(data.castAddBody?.text)}</bdi>,
        }),
      }
    case 'CAST_REMOVE':
      return { kind: t('{post}'), text: rich('{who} deleted {aPost}', { who }) }
    case 'REACTION_ADD':
    case 'REACTION_REMOVE': {
      const { type, targetCastId } = data.reactionBody ?? {}
      const isLike = String(type).endsWith('LIKE')
      const isOn = bare === 'REACTION_ADD'
      const cast = <CastLink id={targetCastId} />
      if (isLike) {
        const text = isOn
          ? rich('{who} liked {cast}', { who, cast })
          : rich('{who} no longer has liked {cast}', { who, cast })
        return { kind: t('like'), text }
      }
      const text = isOn
        ? rich('{who} {reposted} {cast}', { who, cast })
        : rich('{who} no longer has {reposted} {cast}', { who, cast })
      return { kind: t('{repost}'), text }
    }
    case 'LINK_ADD':
    case 'LINK_REMOVE': {
      const { type, targetFid } = data.linkBody ?? {}
      const isOn = bare === 'LINK_ADD'
      const other = <Who fid={targetFid} />
      if (type === 'follow') {
        const text = isOn
          ? rich('{who} follows {other}', { who, other })
          : rich('{who} no longer follows {other}', { who, other })
        return { kind: t('follow', undefined, 'a kind of events'), text }
      }
      const link = <bdi>{quoted(type)}</bdi>
      const text = isOn
        ? rich('{who} added the link {link} to {other}', { who, link, other })
        : rich('{who} removed the link {link} to {other}', { who, link, other })
      return { kind: t('link'), text }
    }
    case 'USER_DATA_ADD': {
      const { type, value } = data.userDataBody ?? {}
      const field = String(type).replace(/^USER_DATA_(?:TYPE_)?/, '')
      return {
        kind: t('profile'),
        text: rich(
          '{who} set {field, select, PFP {the picture} DISPLAY {the display name} BIO {the text about the account} URL {the website} USERNAME {the username} LOCATION {the place} TWITTER {the X account} GITHUB {the GitHub account} BANNER {the header picture} LIVE_AT {the address of a live stream} other {something}} to {quoted}',
          { who, field, quoted: <bdi>{quoted(value)}</bdi> },
        ),
      }
    }
    default:
      return { kind: t('message'), text: MESSAGES[bare]?.(who) ?? unnamed(who, bare) }
  }
}

type Sentence = (who: ReactNode) => ReactNode
/** The other types of messages. */
const MESSAGES: Readonly<Record<string, Sentence>> = {
  VERIFICATION_ADD_ETH_ADDRESS: (who) => rich('{who} verified an address', { who }),
  VERIFICATION_REMOVE: (who) => rich('{who} removed a verified address', { who }),
  USERNAME_PROOF: (who) => rich('{who} proved a name', { who }),
  LINK_COMPACT_STATE: (who) => rich('{who} replaced a whole list of links', { who }),
  LEND_STORAGE: (who) => rich('{who} lent storage', { who }),
  KEY_ADD: (who) => rich('{who} added a key', { who }),
  KEY_REMOVE: (who) => rich('{who} removed a key', { who }),
  CHANNEL_UPDATE: (who) => rich('{who} changed a channel', { who }),
  CHANNEL_MEMBER: (who) => rich('{who} changed who belongs to a channel', { who }),
  CHANNEL_PIN: (who) => rich('{who} changed what is pinned in a channel', { who }),
  CHANNEL_MODERATE: (who) => rich('{who} moderated a channel', { who }),
}

/** Types of the protocol that this page does not know. */
const unnamed = (who: ReactNode, type: string): ReactNode =>
  rich('{who}: {what}', {
    who,
    what: <English>{type.toLowerCase().replaceAll('_', ' ')}</English>,
  })

const English = ({ children }: { children: string }) => <bdi lang="en">{children}</bdi>

function name(body: Json): ReactNode {
  const proof = body?.usernameProof ?? body?.deletedUsernameProof
  if (!proof) return t('A name changed')
  const shown = cleanName(String(proof.name ?? ''))
  const link = <Link to={`/name/${encodeURIComponent(shown)}`}>{shown}</Link>
  return proof.fid > 0
    ? rich('{link} belongs to {who}', { link, who: <Who fid={proof.fid} /> })
    : rich('{link} was released', { link })
}

/** By type, then by that of its body, without their prefixes. */
const CHAIN_EVENTS: Readonly<Record<string, Sentence>> = {
  'SIGNER ADD': (who) => rich('{who} has a new key', { who }),
  'SIGNER REMOVE': (who) => rich('{who} has removed a key', { who }),
  'SIGNER ADMIN_RESET': (who) => rich('A key of {who} was reset', { who }),
  'ID_REGISTER REGISTER': (who) => rich('{who} was registered', { who }),
  'ID_REGISTER TRANSFER': (who) => rich('{who} has a new owner', { who }),
  'ID_REGISTER CHANGE_RECOVERY': (who) => rich('{who} has a new recovery address', { who }),
  STORAGE_RENT: (who) => rich('{who} has rented storage', { who }),
  TIER_PURCHASE: (who) => rich('{who} has a pro subscription', { who }),
  'CHANNEL_REGISTER REGISTER': (who) => rich('{who} registered a channel', { who }),
  'CHANNEL_REGISTER RENEW': (who) => rich('{who} renewed a channel', { who }),
  'CHANNEL_REGISTER TRANSFER': (who) => rich('{who} gave a channel to somebody else', { who }),
}

function chainEvent(event: Json): ReactNode {
  const bodies = ['signerEventBody', 'idRegisterEventBody', 'channelRegisterEventBody']
  const detail = bodies.map((body) => event?.[body]?.eventType).find(Boolean)
  const bare = [event?.type, detail]
    .filter(Boolean)
    .map((type) => String(type).split('EVENT_TYPE_').at(-1)!)
    .join(' ')
  const who = <Who fid={event?.fid} />
  return CHAIN_EVENTS[bare]?.(who) ?? unnamed(who, bare)
}
