import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { MAX_ADDRESS_CHARACTERS, parseMailAddress } from '../../kernel/protocol/mail-address.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { HOUR_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type Face, sayToClient } from '../server-face/port.ts'
import type { Composer } from './compose.ts'
import type { MailServer } from './mail-server.ts'
import { nullable } from './schemas.ts'
import type { SmtpPlace } from './settings.ts'
import { type MailResult, openSmtp } from './smtp.ts'
import { mailRows } from './tables/mails.ts'
import { ENCRYPTIONS } from './tables/servers.ts'

// What the operator sees of e-mail.

export type OperatorContext = {
  readonly server: MailServer
  /** With which links in mails begin. */
  readonly publicUrl: string | undefined
  readonly storage: Pick<Storage, 'of' | 'write'>
  readonly composer: Composer
  readonly face: () => Promise<Face>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export const TAGS = [{ name: 'E-mail', description: 'What the server sends by e-mail.' }]
/** Waiting mails that are counted. */
const MAX_COUNTED = 10_000
/** Of all operators together, from all addresses: a stolen account with the role operator fills no mailboxes. */
const TESTS = { windowMs: HOUR_MS, max: 20 }
const QUOTA = 'test mails'
/** Who looks on hears why a server does not answer: the room gives up after 20 s. */
const TEST_TIMEOUT_MS = 12_000

export const mailOperatorRoutes = (context: OperatorContext): Route[] =>
  bind(context, [status, sendTest])

export const MAIL_STATUS = {
  server: nullable(Type.String({ description: 'Host and port; null: the server sends no mail.' })),
  from: nullable(Type.String()),
  waiting: Type.Integer({ description: `At most ${MAX_COUNTED}.` }),
  oldestQueuedAt: nullable(Type.Integer({ description: 'Unix seconds.' })),
  isLocked: Type.Boolean({ description: 'The environment names the mail server and wins.' }),
  needsPublicUrl: Type.Boolean({
    description: 'None can be set up before ROOKERY_PUBLIC_URL is: links in mails begin with it.',
  }),
  setUp: nullable(
    Type.Object(
      {
        host: Type.String(),
        port: Type.Integer(),
        tls: Type.Enum(ENCRYPTIONS),
        user: Type.String(),
        hasPassword: Type.Boolean({
          description:
            'The password itself is never shown. False, too, where the key is lost that opens it.',
        }),
        from: Type.String(),
        changedAt: Type.Integer({ description: 'Unix seconds.' }),
        changedBy: Type.String(),
      },
      { description: 'What was set up in the room with `PUT /app/mail`.' },
    ),
  ),
}

export async function statusOf({ server, publicUrl, storage }: OperatorContext) {
  const [waiting, oldest, where, row] = await Promise.all([
    storage.of(mailRows).waitingCount(MAX_COUNTED),
    storage.of(mailRows).oldest(),
    server.where(),
    server.row(),
  ])
  return {
    server: where ? `${where.host}:${where.port}` : null,
    from: where?.from ?? null,
    waiting,
    oldestQueuedAt: oldest === undefined ? null : Math.floor(oldest / SECOND_MS),
    isLocked: server.isLocked,
    needsPublicUrl: publicUrl === undefined,
    setUp: row
      ? {
          ...{ host: row.host, port: row.port, tls: row.tls, user: row.login, from: row.sender },
          ...{ hasPassword: server.canOpen(row) },
          ...{ changedAt: row.changed_at, changedBy: row.changed_by },
        }
      : null,
  }
}

const status = route('GET /app/mail', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Where mails go, and how many wait',
  description:
    'Mails wait while the mail server cannot be used, or when the bounds of an hour or a day are reached.',
  reply: Type.Object(MAIL_STATUS),
  errors: [],
  cost: 'lookup',
  handler: statusOf,
})

const sendTest = route('POST /app/mail/test', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Send a mail to an address, to see whether it arrives',
  description:
    'It is sent at once, past the queue. The answer has what the mail server said, also when it did not take the mail.',
  body: json(
    Type.Object({
      to: Type.String({
        maxLength: MAX_ADDRESS_CHARACTERS,
        description: 'Address that gets the mail.',
      }),
    }),
  ),
  reply: Type.Object({
    sent: Type.Boolean({ description: 'Whether the mail server has taken the mail.' }),
    server: Type.String({ description: 'Its host and port.' }),
    said: Type.String({
      description:
        'What it answered; of a mail that was not taken what is wrong, and what mends it.',
    }),
  }),
  errors: ['bad_request.validation_failure', 'not_supported', 'rate_limited'],
  cost: 'write',
  handler: async (context: OperatorContext, { body: { to }, request }) => {
    const where = await context.server.where()
    if (!where) throw new Rejection('not_supported', 'no mail is sent: no mail server is set up')
    const server = `${where.host}:${where.port}`
    const address = readAddress('to', to)
    const place = await context.server.place().catch((error) => {
      if (error instanceof Rejection && error.code === 'unreadable_secret') return error.message
      throw error
    })
    if (typeof place === 'string') return { sent: false, server, said: place }
    if (!place) throw new Rejection('not_supported', 'no mail is sent: no mail server is set up')
    await countTest(context, 'all')
    const result = await sendTestMail(context, { place, to: address, request })
    const sent = result.outcome === 'sent'
    const said = sent ? result.said : `${result.fault.found}: ${result.fault.mend}`
    return { sent, server, said }
  },
})

export function readAddress(field: string, text: string): string {
  const address = parseMailAddress(text)
  if (address) return address
  const fault = `${field} must be an e-mail address, such as ada@example.org`
  throw new Rejection('bad_request.validation_failure', fault, { field })
}

/** Sends a mail at once, past the queue. */
export async function sendTestMail(
  { composer, face, nowMs }: OperatorContext,
  {
    place,
    to,
    request,
  }: {
    readonly place: SmtpPlace
    readonly to: string
    readonly request: Parameters<typeof sayToClient>[0]
  },
): Promise<MailResult> {
  const mail = await composer.frame({
    ...{ id: randomUUID(), from: place.from, to, now: nowMs() },
    // The room has the language of the browser, from which the operator asks.
    language: sayToClient(request, undefined, await face()).language,
    why: (say) => say('The operator has asked for it.'),
    content: (say) => ({
      subject: say('A test of the e-mail of this server'),
      paragraphs: [
        say('This server can send e-mail to you.'),
        say(
          'If this lies among the unwanted mails, set SPF, DKIM and DMARC of the domain that it comes from: the page E-mail of the documents says how.',
        ),
      ],
    }),
  })
  const smtp = await openSmtp(place, TEST_TIMEOUT_MS)
  return smtp.send(mail).finally(() => smtp.close())
}

/** Those of `set up` are for who has the token: nobody else uses them up. */
export async function countTest(
  { storage, nowMs }: OperatorContext,
  subject: 'all' | 'set up',
): Promise<void> {
  const exceeded = await storage.write('all/mails', async ({ quotas }) => {
    const quota = new Quota(QUOTA, await quotas.used(QUOTA, [subject]))
    const refused = quota.tryConsume(subject, TESTS, nowMs())
    if (!refused) await quotas.put(quota.changed)
    return refused
  })
  if (exceeded) throw refusalOf(exceeded, `${TESTS.max} test mails were sent within an hour`)
}
