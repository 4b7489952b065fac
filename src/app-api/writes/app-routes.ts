import Type, { type Static } from 'typebox'
import { json, type Method, type Route } from '../../http/route.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { networkTime } from '../../protocol/time.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import { MAX_BANS_PER_APP, MAX_MUTES_PER_FID, SEEN_KINDS } from '../../storage/tables/apps.ts'
import { appRoute } from '../kit.ts'
import { FidNumber, invalidField, SignerUuid, SuccessReply } from './bodies.ts'
import { SUCCESS, type WritesContext } from './context.ts'

// What belongs to an app alone: its users' mutes, its bans, and what its users have seen.

const BLOCKS = [
  { name: 'Blocks and mutes', description: 'What users and apps do not want to see.' },
]
const NOTICES = [{ name: 'Notifications', description: 'What happened to a user.' }]
const MAX_BANNED_AT_ONCE = 100

const MuteBody = Type.Object({ fid: FidNumber, muted_fid: FidNumber })
const BanBody = Type.Object({
  fids: Type.Array(FidNumber, { minItems: 1, maxItems: MAX_BANNED_AT_ONCE }),
})
const SeenBody = Type.Object({
  signer_uuid: Type.Optional(SignerUuid),
  type: Type.Optional(
    Type.Union(
      SEEN_KINDS.map((kind) => Type.Literal(kind)),
      { description: 'Only this type; all of them unless given.' },
    ),
  ),
})

const spec = {
  reply: SuccessReply,
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: { cpu: 'small', writes: 2 },
} as const

function muteRoute(
  context: WritesContext,
  method: Method,
  summary: string,
  act: (tx: Writer, app: string, body: Static<typeof MuteBody>) => Promise<void>,
): Route {
  return appRoute(
    {
      ...spec,
      method,
      path: '/mute',
      summary,
      description: 'Of this app only. What was said before counts as before.',
      tags: BLOCKS,
      body: json(MuteBody),
    },
    async ({ body, caller }) => {
      await context.storage.write(`fid/${body.fid}`, (tx) => act(tx, caller.app.uuid, body))
      return SUCCESS
    },
  )
}

function banRoute(
  context: WritesContext,
  method: Method,
  summary: string,
  act: (tx: Writer, app: string, fids: readonly number[]) => Promise<void>,
): Route {
  return appRoute(
    {
      ...spec,
      method,
      path: '/ban',
      summary,
      description: 'Of this app only.',
      tags: BLOCKS,
      body: json(BanBody),
    },
    async ({ body, caller }) => {
      const fids = [...new Set(body.fids)]
      await context.storage.write('all/apps', (tx) => act(tx, caller.app.uuid, fids))
      context.apps.forget()
      return SUCCESS
    },
  )
}

/** Throws a Rejection unless all are registered: lists show the accounts. */
async function checkRegistered(
  { accounts }: Pick<Reader, 'accounts'>,
  fids: readonly number[],
  field: string,
): Promise<void> {
  const known = new Set((await accounts.custodies(fids)).map(({ fid }) => fid))
  const unknown = fids.find((fid) => !known.has(fid))
  if (unknown !== undefined) throw invalidField(field, `${unknown} is not registered`)
}

export function appOwnRoutes(context: WritesContext): Route[] {
  const seconds = () => Math.floor(context.nowMs() / 1_000)
  return [
    muteRoute(context, 'POST', 'Mute a user', async (tx, app, { fid, muted_fid }) => {
      if (fid === muted_fid) throw invalidField('muted_fid', 'must be another user')
      await checkRegistered(tx, [fid], 'fid')
      await checkRegistered(tx, [muted_fid], 'muted_fid')
      await tx.apps.addMutes([{ app, fid, muted_fid, muted_at: seconds() }])
      if ((await tx.apps.muteCount(app, fid)) > MAX_MUTES_PER_FID) {
        throw full(`fid ${fid} mutes ${MAX_MUTES_PER_FID} users already`)
      }
    }),
    muteRoute(context, 'DELETE', 'Unmute a user', async (tx, app, { fid, muted_fid }) => {
      await tx.apps.removeMutes([{ app, fid, muted_fid }])
    }),
    banRoute(context, 'POST', 'Ban users from the app', async (tx, app, fids) => {
      await checkRegistered(tx, fids, 'fids')
      await tx.apps.addBans(fids.map((fid) => ({ app, fid, banned_at: seconds() })))
      if ((await tx.apps.banCount(app)) > MAX_BANS_PER_APP) {
        throw full(`the app bans ${MAX_BANS_PER_APP} users already`)
      }
    }),
    banRoute(context, 'DELETE', 'Lift bans', async (tx, app, fids) => {
      await tx.apps.removeBans(fids.map((fid) => ({ app, fid })))
    }),
    seenRoute(context),
  ]
}

const full = (text: string) => new Rejection('bad_request.conflict', text)

const seenRoute = (context: WritesContext): Route =>
  appRoute(
    {
      ...spec,
      method: 'POST',
      path: '/notifications/seen',
      summary: 'Mark notifications as seen',
      description:
        'The user is that of `signer_uuid`, or of a bearer token of the client platform. Notifications up to ' +
        'now are seen in this app.',
      tags: NOTICES,
      body: json(SeenBody),
      errors: [
        'bad_request.validation_failure',
        'unauthenticated',
        'unauthorized',
        'unreadable_secret',
        'not_found',
      ],
      isTokenOptional: true,
    },
    async ({ body, caller, request }) => {
      const { signer_uuid, type } = body
      const app = caller.app.uuid
      const { fid } = signer_uuid
        ? await context.signers.writingKey(app, signer_uuid)
        : await context.platform.actorOf(request)
      const seen_at = Math.max(networkTime(context.nowMs()), await context.newestNoticeAt(fid))
      const kinds = type === undefined ? SEEN_KINDS : [type]
      await context.storage.write(`fid/${fid}`, (tx) =>
        tx.apps.putSeen(kinds.map((kind) => ({ app, fid, kind, seen_at }))),
      )
      return SUCCESS
    },
  )
