// Mails over a real SMTP server: TLS, login, what it refuses, and what becomes of one that hangs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAIL_FROM,
  readMail,
  startMailServer,
  startSilentServer,
  written,
} from '../../../test/mail-support.ts'
import { until } from '../../../test/until.ts'
import { readConfig } from '../../config.ts'
import { ENGLISH } from '../../kernel/base/languages/languages.ts'
import { translator } from '../../kernel/http/translator.ts'
import { type MailFrame, mailOf } from './message.ts'
import type { SmtpPlace } from './settings.ts'
import { openSmtp } from './smtp.ts'

const placeOf = (url: string): SmtpPlace =>
  readConfig({ ROOKERY_SMTP_URL: url, ROOKERY_PUBLIC_URL: 'https://social.example' }, 'development')
    .smtp!

const say = translator(ENGLISH)
const FRAME: MailFrame = {
  say,
  ...{ serverName: 'Küche & "Garten"', publicUrl: 'https://social.example', from: MAIL_FROM },
  ...{ to: 'ada@example.org', id: 'b6f1', now: Date.UTC(2026, 10, 29, 12) },
  why: say('The operator has asked for it.'),
}
const CONTENT = written({ subject: 'Hello', paragraphs: ['One.'] })

async function sendOnce(place: SmtpPlace, mail = mailOf(CONTENT, FRAME)) {
  const smtp = await openSmtp(place)
  try {
    return await smtp.send(mail)
  } finally {
    smtp.close()
  }
}

for (const tls of ['implicit', 'starttls', 'none'] as const) {
  test(`a mail is sent with a login, with TLS ${tls}`, async () => {
    const server = await startMailServer({ tls })
    try {
      assert.equal((await sendOnce(placeOf(server.url))).outcome, 'sent')
      const [{ from, to, user, secure }] = server.got as [(typeof server.got)[0]]
      const sent = [from, to, user, secure]
      assert.deepEqual(sent, [MAIL_FROM, 'ada@example.org', 'rookery', tls !== 'none'])
    } finally {
      await server.close()
    }
  })
}

test('a mail has a text and simple HTML, and headers by which receivers know it and file it', async () => {
  const server = await startMailServer()
  try {
    const content = written({
      subject: 'Zoë wrote\r\nBcc: eve@example.org\u202e',
      paragraphs: ['<b>Märta</b> & co\nsaid: hi.\r\n.\r\nQUIT'],
      button: { label: 'Open it', url: 'https://social.example/mail#stop=a.b' },
    })
    assert.equal((await sendOnce(placeOf(server.url), mailOf(content, FRAME))).outcome, 'sent')
    assert.equal(server.got[0]!.to, 'ada@example.org')
    const { headers, subject, text, html } = readMail(server.got[0]!)
    assert.equal(subject, 'Zoë wrote Bcc: eve@example.org')
    assert.equal(headers.bcc, undefined)
    assert.equal(headers.to, 'ada@example.org')
    assert.match(headers.from!, /<rookery@social\.example>$/)
    assert.equal(headers['message-id'], '<b6f1@social.example>')
    assert.equal(new Date(headers.date!).getTime(), FRAME.now)
    assert.equal(headers['auto-submitted'], 'auto-generated')
    assert.match(text, /<b>Märta<\/b> & co said: hi\. \. QUIT/)
    assert.match(text, /https:\/\/social\.example\/mail#stop=a\.b/)
    assert.match(html, /&lt;b&gt;Märta&lt;\/b&gt; &amp; co/)
    assert.match(html, /Küche &amp; &quot;Garten&quot;/)
    assert.doesNotMatch(html, /<img|<script|<b>/)
  } finally {
    await server.close()
  }
})

test('4xx is tried again, 5xx is not, and neither keeps other mails from being sent', async () => {
  const server = await startMailServer()
  try {
    for (const [code, outcome] of [
      [451, 'later'],
      [550, 'refused'],
    ] as const) {
      server.state.answer = () => code
      const result = await sendOnce(placeOf(server.url))
      assert.equal(result.outcome, outcome)
      assert.match((result as { fault: { found: string } }).fault.found, /does not take the mail/)
    }
  } finally {
    await server.close()
  }
})

test('a receiver is refused for good, a sender stops every mail, and a content is tried again', async () => {
  const server = await startMailServer()
  try {
    const { state, url } = server
    const outcome = async () => (await sendOnce(placeOf(url))).outcome
    for (const code of [450, 550]) {
      state.answerSender = code
      assert.equal(await outcome(), 'down')
    }
    state.answerSender = undefined
    state.answerContent = 554
    assert.equal(await outcome(), 'later')
    state.answerContent = undefined
    state.answer = () => 550
    assert.equal(await outcome(), 'refused')
  } finally {
    await server.close()
  }
})

test('a wrong login, a certificate that nobody vouches for and a missing TLS are told apart, without the password', async () => {
  const faultOf = async (place: SmtpPlace): Promise<string> => {
    const smtp = await openSmtp(place)
    const fault = await smtp.findFault().finally(() => smtp.close())
    return fault?.found ?? 'none'
  }
  const [plain, implicit] = [await startMailServer(), await startMailServer({ tls: 'implicit' })]
  try {
    const place = placeOf(plain.url)
    assert.equal(await faultOf(place), 'none')
    // This server repeats the password in its answer.
    const wrong = await faultOf({ ...place, login: { user: 'rookery', pass: 's3cret' } })
    assert.match(wrong, /does not accept the login/)
    assert.doesNotMatch(wrong, /s3cret/)
    assert.match(
      await faultOf({ ...placeOf(implicit.url), isVerified: true }),
      /no TLS that can be/,
    )
    assert.match(await faultOf({ ...place, tls: 'starttls' }), /no TLS that can be trusted/)
    assert.equal(plain.state.logins, 2)
  } finally {
    await Promise.all([plain.close(), implicit.close()])
  }
  assert.match(await faultOf(placeOf(plain.url)), /cannot be reached/)
})

test('a server that hangs is given up when the time of a mail is over, and left at once when the program stops', async () => {
  const silent = await startSilentServer()
  const slow = await startSilentServer('220 mail.example ESMTP\r\n')
  try {
    for (const { port, sockets } of [silent, slow]) {
      const place = placeOf(`smtp://127.0.0.1:${port}?from=${MAIL_FROM}`)
      const impatient = await openSmtp(place, 50)
      const late = await impatient.send(mailOf(CONTENT, FRAME)).finally(() => impatient.close())
      assert.equal(late.outcome, 'down')
      assert.match((late as { fault: { found: string } }).fault.found, /takes too long/)
      const before = sockets.size
      const smtp = await openSmtp(place)
      const sending = smtp.send(mailOf(CONTENT, FRAME))
      await until(() => sockets.size > before, 'the server has the connection')
      smtp.close()
      assert.equal((await sending).outcome, 'down')
    }
  } finally {
    await Promise.all([silent.close(), slow.close()])
  }
})
