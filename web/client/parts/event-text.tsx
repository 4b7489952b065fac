import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { cleanName } from '../../shared/text.ts'
import type { HubEvent } from '../live.ts'

// What an event says, in a line.

type Described = { readonly kind: string; readonly text: ReactNode }
// biome-ignore lint/suspicious/noExplicitAny: bodies of events as the hub writes them
type Json = any

const Fid = ({ fid }: { fid: number }) => <Link to={`/@!${fid}`}>fid {fid}</Link>

const CastLink = ({ id }: { id: Json }) =>
  id?.hash ? <Link to={`/cast/${id.hash}`}>a cast of fid {id.fid}</Link> : 'a cast'

export function describeEvent(event: HubEvent): Described {
  switch (event.type) {
    case 'HUB_EVENT_TYPE_MERGE_MESSAGE':
      return message(event.mergeMessageBody?.message, '')
    case 'HUB_EVENT_TYPE_PRUNE_MESSAGE':
      return message(event.pruneMessageBody?.message, ' (pruned: no storage left)')
    case 'HUB_EVENT_TYPE_REVOKE_MESSAGE':
      return message(event.revokeMessageBody?.message, ' (revoked: its key was removed)')
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
  if (!data) return { kind: 'message', text: `A message without data${suffix}` }
  const { kind, text } = ofType(data, one.hash)
  return {
    kind,
    text: (
      <>
        <Fid fid={data.fid} /> {text}
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
        kind: data.castAddBody?.parentCastId ? 'reply' : 'cast',
        text: (
          <>
            <Link to={`/cast/${hash}`}>cast</Link> <bdi>{quoted(data.castAddBody?.text)}</bdi>
          </>
        ),
      }
    case 'CAST_REMOVE':
      return { kind: 'cast', text: 'deleted a cast' }
    case 'REACTION_ADD':
    case 'REACTION_REMOVE': {
      const { type, targetCastId } = data.reactionBody ?? {}
      const what = String(type).endsWith('LIKE') ? 'like' : 'recast'
      const verb = bare === 'REACTION_ADD' ? 'added a' : 'took back a'
      return {
        kind: what,
        text: (
          <>
            {verb} {what} of <CastLink id={targetCastId} />
          </>
        ),
      }
    }
    case 'LINK_ADD':
    case 'LINK_REMOVE': {
      const { type, targetFid } = data.linkBody ?? {}
      return {
        kind: 'link',
        text: (
          <>
            {bare === 'LINK_ADD' ? 'added' : 'removed'} the link <bdi>{quoted(type)}</bdi> to{' '}
            <Fid fid={targetFid} />
          </>
        ),
      }
    }
    case 'USER_DATA_ADD': {
      const { type, value } = data.userDataBody ?? {}
      const field = String(type).replace('USER_DATA_TYPE_', '').toLowerCase()
      return {
        kind: 'profile',
        text: (
          <>
            set {field} to <bdi>{quoted(value)}</bdi>
          </>
        ),
      }
    }
    default:
      return { kind: 'message', text: bare.toLowerCase().replaceAll('_', ' ') }
  }
}

function name(body: Json): ReactNode {
  const proof = body?.usernameProof ?? body?.deletedUsernameProof
  if (!proof) return 'A name changed'
  const shown = cleanName(String(proof.name ?? ''))
  const link = <Link to={`/name/${encodeURIComponent(shown)}`}>{shown}</Link>
  return proof.fid > 0 ? (
    <>
      {link} belongs to <Fid fid={proof.fid} />
    </>
  ) : (
    <>{link} was released</>
  )
}

function chainEvent(event: Json): ReactNode {
  const what = String(event?.type ?? '')
    .replace('EVENT_TYPE_', '')
    .toLowerCase()
    .replaceAll('_', ' ')
  const detail = event?.signerEventBody?.eventType ?? event?.idRegisterEventBody?.eventType
  return (
    <>
      <Fid fid={event?.fid} /> {what}
      {detail && `: ${String(detail).split('EVENT_TYPE_').at(-1)!.toLowerCase()}`}
    </>
  )
}
