import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
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
  if (!id?.hash) return words.aPost
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
      return message(event.mergeMessageBody?.message, '')
    case 'HUB_EVENT_TYPE_PRUNE_MESSAGE':
      return message(event.pruneMessageBody?.message, ' (removed: no room was left)')
    case 'HUB_EVENT_TYPE_REVOKE_MESSAGE':
      return message(event.revokeMessageBody?.message, ' (removed with its key)')
    case 'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF':
      return { kind: 'name', text: name(event.mergeUsernameProofBody) }
    case 'HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT':
      return { kind: 'account', text: chainEvent(event.mergeOnChainEventBody?.onChainEvent) }
    default:
      return { kind: 'other', text: event.type }
  }
}

function message(one: Json, suffix: string): Described {
  const data = one?.data
  if (!data) return { kind: 'message', text: t('A message without data{suffix}', { suffix }) }
  const { kind, text } = ofType(data, one.hash)
  return {
    kind,
    text: (
      <>
        <Who fid={data.fid} /> {text}
        {suffix}
      </>
    ),
  }
}

const MAX_TEXT_CHARACTERS = 90

function quoted(text: unknown): string {
  const characters = [...cleanLine(String(text ?? ''))]
  const shown = characters.slice(0, MAX_TEXT_CHARACTERS).join('')
  return characters.length > MAX_TEXT_CHARACTERS ? `“${shown}…”` : `“${shown}”`
}

const cleanLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

function ofType(data: Json, hash: string): Described {
  const bare = String(data.type).replace('MESSAGE_TYPE_', '')
  switch (bare) {
    case 'CAST_ADD':
      return {
        kind: data.castAddBody?.parentCastId ? 'reply' : words.post,
        text: rich('wrote {aPostText}: {quoted}', {
          aPostText: <Link to={`/cast/${hash}`}>{words.aPost}</Link>,
          quoted: <bdi>{quoted(data.castAddBody?.text)}</bdi>,
        }),
      }
    case 'CAST_REMOVE':
      return { kind: words.post, text: `deleted ${words.aPost}` }
    case 'REACTION_ADD':
    case 'REACTION_REMOVE': {
      const { type, targetCastId } = data.reactionBody ?? {}
      const isLike = String(type).endsWith('LIKE')
      const isOn = bare === 'REACTION_ADD'
      const cast = <CastLink id={targetCastId} />
      const reposted = isOn ? (
        <>
          {words.reposted} {cast}
        </>
      ) : (
        rich('no longer has {reposted} {cast}', { cast })
      )
      const liked = isOn
        ? rich('liked {cast}', { cast })
        : rich('no longer has liked {cast}', { cast })
      return { kind: isLike ? 'like' : words.repost, text: isLike ? liked : reposted }
    }
    case 'LINK_ADD':
    case 'LINK_REMOVE': {
      const { type, targetFid } = data.linkBody ?? {}
      if (type === 'follow') {
        return {
          kind: 'follow',
          text:
            bare === 'LINK_ADD'
              ? rich('follows {who}', { who: <Who fid={targetFid} /> })
              : rich('no longer follows {who}', { who: <Who fid={targetFid} /> }),
        }
      }
      return {
        kind: 'link',
        text:
          bare === 'LINK_ADD'
            ? rich('added the link {quoted} to {who}', {
                quoted: <bdi>{quoted(type)}</bdi>,
                who: <Who fid={targetFid} />,
              })
            : rich('removed the link {quoted} to {who}', {
                quoted: <bdi>{quoted(type)}</bdi>,
                who: <Who fid={targetFid} />,
              }),
      }
    }
    case 'USER_DATA_ADD': {
      const { type, value } = data.userDataBody ?? {}
      const field = String(type).replace('USER_DATA_TYPE_', '').toLowerCase()
      return {
        kind: 'profile',
        text: rich('set {field} to {quoted}', { field, quoted: <bdi>{quoted(value)}</bdi> }),
      }
    }
    default:
      return { kind: 'message', text: bare.toLowerCase().replaceAll('_', ' ') }
  }
}

function name(body: Json): ReactNode {
  const proof = body?.usernameProof ?? body?.deletedUsernameProof
  if (!proof) return t('A name changed')
  const shown = cleanName(String(proof.name ?? ''))
  const link = <Link to={`/name/${encodeURIComponent(shown)}`}>{shown}</Link>
  return proof.fid > 0
    ? rich('{link} belongs to {who}', { link, who: <Who fid={proof.fid} /> })
    : rich('{link} was released', { link })
}

function chainEvent(event: Json): ReactNode {
  const what = String(event?.type ?? '')
    .replace('EVENT_TYPE_', '')
    .toLowerCase()
    .replaceAll('_', ' ')
  const detail = event?.signerEventBody?.eventType ?? event?.idRegisterEventBody?.eventType
  return (
    <>
      <Who fid={event?.fid} /> {what}
      {detail && `: ${String(detail).split('EVENT_TYPE_').at(-1)!.toLowerCase()}`}
    </>
  )
}
