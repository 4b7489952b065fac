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
import type { SmtpPlace } from './settings.ts'
import { openSmtp } from './smtp.ts'
import { mailRows } from './tables/mails.ts'

// What the operator sees of e-mail.

type OperatorContext = {
  readonly place: SmtpPlace | undefined
  readonly storage: Pick<Storage, 'of' | 'write'>
  readonly composer: Composer
  readonly face: () => Promise<Face>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

const TAGS = [{ name: 'E-mail', description: 'What the server sends by e-mail.' }]
/** Waiting mails that are counted. */
const MAX_COUNTED = 10_000
/** Of all operators together, from all addresses: a stolen account with the role operator fills no mailboxes. */
const TESTS = { windowMs: HOUR_MS, max: 20 }
const QUOTA = 'test mails'
/** Who looks on hears why a server does not answer: the room gives up after 20 s. */
const TEST_TIMEOUT_MS = 12_000

export const mailOperatorRoutes = (context: OperatorContext): Route[] =>
  bind(context, [status, sendTest])

const status = route('GET /app/mail', {
  callers: 'operator',
  tags: TAGS,
  summary: 'Where mails go, and how many wait',
  description:
    'Mails wait while the mail server cannot be used, or when the bounds of an hour or a day are reached.',
  reply: Type.Object({
    server: Type.Union([Type.String(), Type.Null()], {
      description: 'Host and port; null: the server sends no mail.',
    }),
    from: Type.Union([Type.String(), Type.Null()]),
    waiting: Type.Integer({ description: `At most ${MAX_COUNTED}.` }),
    oldestQueuedAt: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds.' }),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ place, storage }: OperatorContext) => {
    const [waiting, oldest] = await Promise.all([
      storage.of(mailRows).waitingCount(MAX_COUNTED),
      storage.of(mailRows).oldest(),
    ])
    return {
      server: place ? `${place.host}:${place.port}` : null,
      from: place?.from ?? null,
      waiting,
      oldestQueuedAt: oldest === undefined ? null : Math.floor(oldest / SECOND_MS),
    }
  },
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
    const { place, composer, face, nowMs } = context
    if (!place) throw new Rejection('not_supported', 'no mail is sent: ROOKERY_SMTP_URL is not set')
    const address = parseMailAddress(to)
    if (!address) {
      const text = 'to must be an e-mail address, such as ada@example.org'
      throw new Rejection('bad_request.validation_failure', text, { field: 'to' })
    }
    await countTest(context)
    const mail = await composer.frame({
      ...{ id: randomUUID(), to: address, now: nowMs() },
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
    const result = await smtp.send(mail).finally(() => smtp.close())
    const sent = result.outcome === 'sent'
    const said = sent ? result.said : `${result.fault.found}: ${result.fault.mend}`
    return { sent, server: `${place.host}:${place.port}`, said }
  },
})

async function countTest({ storage, nowMs }: OperatorContext): Promise<void> {
  const exceeded = await storage.write('all/mails', async ({ quotas }) => {
    const quota = new Quota(QUOTA, await quotas.used(QUOTA, ['all']))
    const refused = quota.tryConsume('all', TESTS, nowMs())
    if (!refused) await quotas.put(quota.changed)
    return refused
  })
  if (exceeded) throw refusalOf(exceeded, `${TESTS.max} test mails were sent within an hour`)
}
