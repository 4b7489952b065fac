import { isDeepStrictEqual } from 'node:util'
import Type from 'typebox'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import { checkOwnHost } from '../../kernel/http/outgoing.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { MAX_ADDRESS_CHARACTERS } from '../../kernel/protocol/mail-address.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { noteMailOff } from './address-changes.ts'
import {
  countTest,
  MAIL_STATUS,
  type OperatorContext,
  readAddress,
  sendTestMail,
  statusOf,
  TAGS,
} from './operator-routes.ts'
import { MAIL_SERVER_OWNER } from './sealed-mail-server.ts'
import { CLAIM_MS } from './sending.ts'
import { isThisMachine, type SmtpPlace, smtpPlace } from './settings.ts'
import { mailRows } from './tables/mails.ts'
import { ENCRYPTIONS, type MailServerRow, mailServerRows } from './tables/servers.ts'

// The mail server, for who has the token of the operator and no account with a role: whoever chooses it reads every mail, and so the
// links with which lost accounts come back.

type Context = OperatorContext & {
  readonly secrets: Pick<Secrets, 'seal'>
}

const MAX_HOST_CHARACTERS = 253
const MAX_LOGIN_CHARACTERS = 254
const MAX_PASSWORD_CHARACTERS = 500
/** Mails put off by the earlier mail server that are due at once with a new one. */
const MAX_SENT_SOON = 1_000
const NO_CONTROLS = '^[^\\x00-\\x1f\\x7f]*$'
const LOGGED_NAME = 'mail server'

const BY = {
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
}

const write = route('PUT /app/mail', {
  callers: 'operator',
  summary: 'Set up the mail server',
  description:
    'In force at once in every process. A mail is sent to `to` first: a server that cannot be reached, or does not take the login or the mail, is refused, and what was set up before stays. The password is kept sealed, and never shown or logged. No account with a role does this: whoever chooses the mail server reads the mails of all members.',
  tags: TAGS,
  body: json(
    Type.Object({
      host: Type.String({
        minLength: 1,
        maxLength: MAX_HOST_CHARACTERS,
        pattern: '^[A-Za-z0-9_:][A-Za-z0-9._:-]*$',
        description: 'A name or an address, such as smtp.example.org.',
      }),
      port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Usually 465 or 587.' }),
      tls: Type.Enum(ENCRYPTIONS, {
        description:
          '`implicit`: from the first byte; `starttls`: nothing is sent before STARTTLS; `none`: for a mail server on this machine.',
      }),
      user: Type.Optional(
        Type.String({
          maxLength: MAX_LOGIN_CHARACTERS,
          pattern: NO_CONTROLS,
          description: 'Empty: it needs no login.',
        }),
      ),
      password: Type.Optional(
        Type.String({
          maxLength: MAX_PASSWORD_CHARACTERS,
          pattern: NO_CONTROLS,
          description:
            'Missing or empty: that of before, for the same host, port and user. An empty `user` needs none.',
        }),
      ),
      from: Type.String({
        maxLength: MAX_ADDRESS_CHARACTERS,
        description: 'The address that mails come from.',
      }),
      to: Type.String({
        maxLength: MAX_ADDRESS_CHARACTERS,
        description: 'The address that gets the test.',
      }),
      ...BY,
    }),
  ),
  reply: Type.Object({
    ...MAIL_STATUS,
    said: Type.String({ description: 'What the mail server answered to the test.' }),
  }),
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'changed_meanwhile',
    'unreadable_secret',
    'rate_limited',
  ],
  cost: { writes: 3 },
  handler: async (context: Context, { body, request }) => {
    const { storage, secrets, server, nowMs } = context
    checkOpen(context)
    const { port, tls, user = '', password = '', actor = 'operator', reason } = body
    const host = body.host.toLowerCase().replace(/\.$/, '')
    if (tls === 'none' && !isThisMachine(host)) {
      throw refusal('tls', 'without encryption it must be on this machine, such as 127.0.0.1')
    }
    const from = readAddress('from', body.from)
    const to = readAddress('to', body.to)
    const before = await server.row()
    const isSame = before?.host === host && before.port === port && before.login === user
    const pass = password === '' && isSame ? server.passwordOf(before) : password
    if ((user === '') !== (pass === '')) {
      throw refusal('password', 'user and password must both be given, or neither')
    }
    await countTest(context, 'set up')
    await checkOwnHost(host, 'host')
    const login = user === '' ? undefined : { user, pass }
    const place: SmtpPlace = { ...smtpPlace({ host, port, tls, login, from }), isOfRoom: true }
    const result = await sendTestMail(context, { place, to, request })
    if (result.outcome !== 'sent') {
      const { found, mend, field } = result.fault
      throw refusal(field, `${found}: ${mend}`)
    }
    const secret =
      pass === '' ? new Uint8Array(0) : await secrets.seal(Buffer.from(pass), MAIL_SERVER_OWNER)
    const at = Math.floor(nowMs() / SECOND_MS)
    await storage.write(['hub', 'all/mails'], async (tx) => {
      if (!isDeepStrictEqual(await tx.of(mailServerRows).get(), before)) throw changedMeanwhile()
      const row: Omit<MailServerRow, 'name'> = {
        ...{ host, port, tls, login: user, secret, sender: from },
        ...{ changed_at: at, changed_by: actor },
      }
      await tx.of(mailServerRows).put(row)
      await sendSoon(tx, nowMs())
      await log(tx, { at, actor, what: before ? 'changed' : 'set up', reason })
    })
    return { ...(await statusOf(context)), said: result.said }
  },
})

const remove = route('DELETE /app/mail', {
  callers: 'operator',
  summary: 'Remove the mail server that was set up',
  description:
    'Its password is removed. Mails that wait are sent once there is a mail server again, unless they are too old by then. Where the environment names a mail server, that one goes on.',
  tags: TAGS,
  body: json(Type.Object(BY)),
  reply: Type.Object(MAIL_STATUS),
  errors: [],
  cost: 'write',
  handler: async (context: Context, { body }) => {
    const { actor = 'operator', reason } = body as { actor?: string; reason?: string }
    const at = Math.floor(context.nowMs() / SECOND_MS)
    await context.storage.write('hub', async (tx) => {
      if (!(await tx.of(mailServerRows).get())) return
      await tx.of(mailServerRows).remove()
      if (!context.server.isLocked) await noteMailOff(tx)
      await log(tx, { at, actor, what: 'removed', reason })
    })
    return statusOf(context)
  },
})

/** What failures have put off goes out with another mail server. What is put off for less may be on its way just now. */
async function sendSoon(tx: Writer, now: number): Promise<void> {
  const rows = tx.of(mailRows)
  const mails = await rows.putOff(now + CLAIM_MS, MAX_SENT_SOON)
  await rows.put(mails.map(({ id, attempts }) => ({ id, attempts, due: now })))
}

function checkOpen({ server, publicUrl }: Context): void {
  const conflict = (text: string) => new Rejection('bad_request.conflict', text, { field: 'host' })
  if (server.isLocked) {
    throw conflict('ROOKERY_SMTP_URL names the mail server on the machine: change it there')
  }
  if (publicUrl === undefined) {
    throw conflict('links in mails begin with ROOKERY_PUBLIC_URL: set it on the machine first')
  }
}

const changedMeanwhile = () =>
  new Rejection('changed_meanwhile', 'the mail server was changed or removed meanwhile', {
    field: 'host',
  })

const refusal = (field: string, text: string) =>
  new Rejection('bad_request.validation_failure', text, { field })

/** The log is read by every moderator: it does not say which mail server it is. */
type Entry = {
  readonly at: number
  readonly actor: string
  readonly what: string
  readonly reason: string | undefined
}

async function log(tx: Writer, { at, actor, what, reason }: Entry): Promise<void> {
  const entry = { at, actor, fid: null, cast_hash: null, name: LOGGED_NAME, action: 'set' } as const
  await tx
    .of(moderationLogRows)
    .add({ ...entry, reason: reason === undefined ? what : `${what}: ${reason}` })
}

export const mailServerRoutes = (context: Context): Route[] => bind(context, [write, remove])
