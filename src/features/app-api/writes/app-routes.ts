import Type from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import {
  FidNumber,
  invalidField,
  SignerUuid,
  SUCCESS,
  SuccessReply,
} from '../../../kernel/app-api/bodies.ts'
import { bind, json, type Method, type Route, route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { networkTime } from '../../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../../kernel/storage/storage.ts'
import { NOTICE_GROUPS } from '../../../kernel/storage/views/notice-kinds.ts'
import { appSeenRows } from '../tables/app-seen.ts'
import {
  hiddenAccountRows,
  MAX_BANS_PER_APP,
  MAX_MUTES_PER_FID,
} from '../tables/hidden-accounts.ts'
import type { WritesContext } from './context.ts'

// Data of a single app: the mutes of its users, its bans, and the notifications that its users have seen.

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
      NOTICE_GROUPS.map((kind) => Type.Literal(kind)),
      { description: 'Only this type; all of them unless given.' },
    ),
  ),
})

const spec = {
  reply: SuccessReply,
  errors: ['bad_request.validation_failure', 'bad_request.conflict'],
  cost: { cpu: 'small', writes: 2 },
} as const

export const appOwnRoutes = (context: WritesContext): Route[] =>
  bind(context, [mute, unmute, ban, unban, markSeen])

const muteRoute = (
  method: Method,
  summary: string,
  act: (
    tx: Writer,
    row: { app: string; fid: number; muted_fid: number },
    now: number,
  ) => Promise<unknown>,
) =>
  route(`${method} /v2/farcaster/mute`, {
    callers: 'app',
    ...spec,
    summary,
    description: 'Of this app only. What was said before counts as before.',
    tags: BLOCKS,
    body: json(MuteBody),
    handler: async ({ storage, nowMs }: WritesContext, { body: { fid, muted_fid }, request }) => {
      const row = { app: appOf(request), fid, muted_fid }
      await storage.write(`fid/${fid}`, (tx) => act(tx, row, Math.floor(nowMs() / 1_000)))
      return SUCCESS
    },
  })

const mute = muteRoute('POST', 'Mute a user', async (tx, row, now) => {
  const { app, fid, muted_fid } = row
  if (fid === muted_fid) throw invalidField('muted_fid', 'must be another user')
  await checkRegistered(tx, [fid], 'fid')
  await checkRegistered(tx, [muted_fid], 'muted_fid')
  const hidden = tx.of(hiddenAccountRows)
  await hidden.addMutes([{ ...row, muted_at: now }])
  if ((await hidden.muteCount(app, fid)) > MAX_MUTES_PER_FID) {
    throw full(`fid ${fid} mutes ${MAX_MUTES_PER_FID} users already`)
  }
})

const unmute = muteRoute('DELETE', 'Unmute a user', (tx, row) =>
  tx.of(hiddenAccountRows).removeMutes([row]),
)

const banRoute = (
  method: Method,
  summary: string,
  act: (tx: Writer, rows: readonly { app: string; fid: number }[], now: number) => Promise<unknown>,
) =>
  route(`${method} /v2/farcaster/ban`, {
    callers: 'app',
    ...spec,
    summary,
    description: 'Of this app only.',
    tags: BLOCKS,
    body: json(BanBody),
    handler: async ({ storage, nowMs }: WritesContext, { body, request }) => {
      const rows = [...new Set(body.fids)].map((fid) => ({ app: appOf(request), fid }))
      await storage.write('all/apps', (tx) => act(tx, rows, Math.floor(nowMs() / 1_000)))
      return SUCCESS
    },
  })

const ban = banRoute('POST', 'Ban users from the app', async (tx, rows, now) => {
  const fids = rows.map(({ fid }) => fid)
  await checkRegistered(tx, fids, 'fids')
  const hidden = tx.of(hiddenAccountRows)
  await hidden.addBans(rows.map((row) => ({ ...row, banned_at: now })))
  if ((await hidden.banCount(rows[0]!.app)) > MAX_BANS_PER_APP) {
    throw full(`the app bans ${MAX_BANS_PER_APP} users already`)
  }
})

const unban = banRoute('DELETE', 'Lift bans', (tx, rows) =>
  tx.of(hiddenAccountRows).removeBans(rows),
)

const markSeen = route('POST /v2/farcaster/notifications/seen', {
  callers: 'app or its user',
  ...spec,
  summary: 'Mark notifications as seen',
  description:
    'The user is that of `signer_uuid`, or of a bearer token of the client platform. Notifications up to ' +
    'now are seen in this app. The public key `web` takes tokens only.',
  tags: NOTICES,
  body: json(SeenBody),
  errors: ['bad_request.validation_failure', 'unauthorized', 'unreadable_secret', 'not_found'],
  handler: async ({ storage, signers, platform, nowMs }: WritesContext, { body, request }) => {
    const app = appOf(request)
    const { signer_uuid, type } = body
    const { fid } = signer_uuid
      ? await signers.writingKey(app, signer_uuid)
      : await platform.actorOf(request)
    const seen_at = networkTime(nowMs())
    const kinds = type === undefined ? NOTICE_GROUPS : [type]
    await storage.write(`fid/${fid}`, (tx) =>
      tx.of(appSeenRows).put(kinds.map((kind) => ({ app, fid, kind, seen_at }))),
    )
    return SUCCESS
  },
})

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

const full = (text: string) => new Rejection('bad_request.conflict', text)
