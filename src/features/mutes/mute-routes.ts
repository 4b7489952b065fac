import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import {
  ChannelId,
  FidNumber,
  invalidField,
  SUCCESS,
  SuccessReply,
} from '../../kernel/app-api/bodies.ts'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { hydrate, unixTimeOf } from '../../kernel/app-api/objects/hydrate.ts'
import { tokensOf } from '../../kernel/app-api/objects/muted.ts'
import { pageOf } from '../../kernel/app-api/pages.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { OwnMutesReply } from '../../kernel/app-api/schemas.ts'
import { bind, json, type Method, type Route, route } from '../../kernel/http/route.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { EVERY_APP, hiddenAccountRows, MAX_MUTES_PER_FID } from '../app-api/port.ts'
import { channelRows } from '../channels/port.ts'
import { MAX_MUTED_TERMS, type MutedTerm, mutedTermRows } from './tables/muted-terms.ts'

// What a user mutes in every app, with a token that a key of the user has signed.

const MUTES = [{ name: 'Blocks and mutes', description: 'What users and apps do not want to see.' }]
const MAX_WORD_CHARACTERS = 100

const MuteBody = Type.Object(
  {
    fid: Type.Optional(FidNumber),
    channel_id: Type.Optional(ChannelId),
    word: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_WORD_CHARACTERS,
        description:
          'A word, or words that stand beside each other. Case and accents do not matter.',
      }),
    ),
  },
  { minProperties: 1, maxProperties: 1 },
)

const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
  'bad_request.conflict',
]

type MuteContext = StoreContext & { readonly platform: ActorsPort }

export const muteRoutes = (context: MuteContext): Route[] =>
  bind(context, [ownMutes, change('POST'), change('DELETE')])

const ownMutes = route('GET /v2/farcaster/mute/own', {
  callers: 'user of an app',
  summary: 'What the user mutes in every app',
  description:
    'The user is that of the bearer token. Accounts in pages, the newest first; channels and words whole on each page.',
  tags: MUTES,
  query: paged({ default: 100, max: 100 }, 'n', 'n'),
  reply: OwnMutesReply,
  errors,
  cost: { cpu: 'small', rows: 100 },
  handler: async (context: MuteContext, { query: { limit, cursor }, request }) => {
    const { storage, platform } = context
    const { fid } = await platform.actorOf(request)
    const after = cursor && [cursor[0], EVERY_APP, fid, cursor[1]]
    const [rows, terms] = await Promise.all([
      storage.of(hiddenAccountRows).mutes(EVERY_APP, fid, after, limit + 1),
      storage.of(mutedTermRows).of(fid),
    ])
    const { items, last } = pageOf(rows, limit)
    const users = items.map((row) => row.muted_fid)
    const found = await hydrate(context, { app: appOf(request), viewer: undefined }, { users })
    const ofKind = (kind: MutedTerm['kind']) => terms.filter((one) => one.kind === kind)
    return {
      mutes: items.flatMap((row) => {
        const muted = found.user(row.muted_fid)
        const muted_at = unixTimeOf(row.muted_at)
        return muted ? [{ object: 'mute' as const, muted, muted_at }] : []
      }),
      channels: ofKind('channel').map(({ term, muted_at }) => ({
        id: term,
        muted_at: unixTimeOf(muted_at),
      })),
      words: ofKind('word').map(({ term, muted_at }) => ({
        word: term,
        muted_at: unixTimeOf(muted_at),
      })),
      next: nextOf(last && [last.muted_at, last.muted_fid]),
    }
  },
})

const change = (method: Extract<Method, 'POST' | 'DELETE'>) =>
  route(`${method} /v2/farcaster/mute/own`, {
    callers: 'user of an app',
    summary:
      method === 'POST'
        ? 'Mute an account, a channel or a word in every app'
        : 'Unmute an account, a channel or a word',
    description:
      'One of them, for the user of the bearer token. Feeds, search and notifications leave out what is muted, ' +
      'whichever app asks for this user as the viewer. Nobody else is told. Doing it once more changes nothing.',
    tags: MUTES,
    body: json(MuteBody),
    reply: SuccessReply,
    errors,
    cost: { cpu: 'small', writes: 2 },
    handler: async ({ storage, platform, nowMs }: MuteContext, { body, request }) => {
      const { fid } = await platform.actorOf(request)
      const target = targetOf(body)
      const act = method === 'POST' ? mute : unmute
      await storage.write(`fid/${fid}`, (tx) => act(tx, fid, target, Math.floor(nowMs() / 1_000)))
      return SUCCESS
    },
  })

type Target = { readonly muted: number } | Pick<MutedTerm, 'kind' | 'term'>

function targetOf({ fid, channel_id, word }: Type.Static<typeof MuteBody>): Target {
  if ([fid, channel_id, word].filter((one) => one !== undefined).length !== 1) {
    throw invalidField('fid', 'or channel_id or word: name one of them')
  }
  if (fid !== undefined) return { muted: fid }
  if (channel_id !== undefined) return { kind: 'channel', term: channel_id.toLowerCase() }
  const term = word!.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim()
  if (tokensOf(term) === '' || term.includes('\0')) {
    throw invalidField('word', 'must have letters, digits or emojis')
  }
  return { kind: 'word', term }
}

async function mute(tx: Writer, fid: number, target: Target, now: number): Promise<void> {
  if ('muted' in target) {
    const { muted } = target
    if (muted === fid) throw invalidField('fid', 'must be another user')
    if (!(await tx.accounts.custody(muted))) throw invalidField('fid', `${muted} is not registered`)
    const hidden = tx.of(hiddenAccountRows)
    await hidden.addMutes([{ app: EVERY_APP, fid, muted_fid: muted, muted_at: now }])
    checkRoom(await hidden.muteCount(EVERY_APP, fid), MAX_MUTES_PER_FID, 'accounts')
    return
  }
  if (target.kind === 'channel' && !(await tx.of(channelRows).byId(target.term))) {
    throw invalidField('channel_id', 'is not the id of a channel')
  }
  await tx.of(mutedTermRows).add({ fid, ...target, muted_at: now })
  checkRoom(await tx.of(mutedTermRows).count(fid, target.kind), MAX_MUTED_TERMS, `${target.kind}s`)
}

async function unmute(tx: Writer, fid: number, target: Target): Promise<void> {
  if ('muted' in target) {
    await tx.of(hiddenAccountRows).removeMutes([{ app: EVERY_APP, fid, muted_fid: target.muted }])
  } else {
    await tx.of(mutedTermRows).remove({ fid, ...target })
  }
}

/** Throws a Rejection, which undoes the transaction, when there is one too many. */
function checkRoom(count: number, max: number, what: string): void {
  if (count > max) throw new Rejection('bad_request.conflict', `you mute ${max} ${what} already`)
}
