import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailContent } from '../src/features/mail/port.ts'
import type { WaitingMail } from '../src/features/mail/tables/mails.ts'
import { sayIn } from '../src/features/server-face/port.ts'
import { languageOf } from '../src/kernel/base/languages/languages.ts'
import { escapeMarkup } from '../src/kernel/http/markup.ts'
import type { Say } from '../src/kernel/http/translator.ts'
import { signedCertificate } from './certificate.ts'

// A real SMTP server for tests, which keeps what it gets.

export type GotMail = {
  readonly from: string
  readonly to: string
  /** As it came, with its head. */
  readonly raw: string
  readonly user: string | undefined
  readonly secure: boolean
}

export const MAIL_LOGIN = { user: 'rookery', pass: 'p@ss/word' }
export const MAIL_FROM = 'rookery@social.example'

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

type Options = {
  readonly tls?: 'implicit' | 'starttls' | 'none'
  readonly port?: number
}

let certificate: { readonly key: Buffer; readonly cert: Buffer } | undefined

/** One of localhost that nobody vouches for, for all servers of the process. */
function getCertificate() {
  if (certificate) return certificate
  const dir = mkdtempSync(join(tmpdir(), 'rookery-smtp-'))
  const files = signedCertificate(dir)
  certificate = { key: readFileSync(files.key), cert: readFileSync(files.certificate) }
  rmSync(dir, { recursive: true })
  return certificate
}

/** Listens on loopback. The answers refuse: a mail by its receiver, every sender, or every content; undefined takes it. */
export async function startMailServer({ tls = 'none', port = 0 }: Options = {}) {
  const got: GotMail[] = []
  const state: {
    answer: (to: string) => number | undefined | Promise<number | undefined>
    answerSender: number | undefined
    answerContent: number | undefined
    logins: number
  } = { answer: () => undefined, answerSender: undefined, answerContent: undefined, logins: 0 }
  const options: SMTPServerOptions = {
    secure: tls === 'implicit',
    ...getCertificate(),
    disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
    allowInsecureAuth: tls === 'none',
    authOptional: false,
    onAuth({ username, password }, _, done) {
      state.logins++
      if (username === MAIL_LOGIN.user && password === MAIL_LOGIN.pass)
        done(null, { user: username })
      else done(new Error(`not ${username} with ${password}`))
    },
    onMailFrom({ address }, _, done) {
      const responseCode = state.answerSender
      done(
        responseCode ? Object.assign(new Error(`not from <${address}>`), { responseCode }) : null,
      )
    },
    onRcptTo({ address }, _, done) {
      Promise.resolve(state.answer(address)).then(
        (responseCode) =>
          done(
            responseCode ? Object.assign(new Error(`no to <${address}>`), { responseCode }) : null,
          ),
        done,
      )
    },
    onData(stream, { envelope, user, secure }, done) {
      buffer(stream).then((bytes) => {
        const responseCode = state.answerContent
        if (responseCode) return done(Object.assign(new Error('no such words'), { responseCode }))
        const { mailFrom, rcptTo } = envelope
        got.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address).join(),
          raw: bytes.toString(),
          user: user as string | undefined,
          secure,
        })
        done()
      }, done)
    },
  }
  const server = new SMTPServer(options)
  // Clients that end a connection without a word are part of these tests.
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const { port: taken } = server.server.address() as AddressInfo
  const login = `${MAIL_LOGIN.user}:${encodeURIComponent(MAIL_LOGIN.pass)}`
  const scheme = tls === 'implicit' ? 'smtps' : 'smtp'
  return {
    got,
    state,
    port: taken,
    url: `${scheme}://${login}@127.0.0.1:${taken}?from=${MAIL_FROM}`,
    /** What came to an address since the last call, the oldest first. */
    take(to: string): ReadMail[] {
      const own = got.filter((one) => one.to === to)
      for (const one of own) got.splice(got.indexOf(one), 1)
      return own.map(readMail)
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** A server that takes connections and says nothing, or greets and then falls silent. */
export async function startSilentServer(greeting = '') {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (greeting) socket.write(greeting)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    sockets,
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export type ReadMail = {
  readonly headers: Readonly<Record<string, string>>
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The links of the text. */
  readonly links: readonly string[]
}

/** Reads a mail as this server writes them: a text and an HTML part, quoted-printable or base64. */
export function readMail({ raw }: Pick<GotMail, 'raw'>): ReadMail {
  const [head, ...rest] = raw.split('\r\n\r\n')
  const headers = headersOf(head!)
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type']!)![1]!
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`).slice(1, -1).map(readPart)
  const [text = '', html = ''] = parts.map((part) => part.replaceAll('\r\n', '\n'))
  return {
    headers,
    subject: decodeWords(headers.subject!),
    text,
    html,
    links: [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link.replace(/[.,]$/, '')),
  }
}

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  )

function readPart(part: string): string {
  const [head = '', ...rest] = part.replace(/^\r\n/, '').split('\r\n\r\n')
  const body = rest.join('\r\n\r\n').replace(/\r\n$/, '')
  const encoding = headersOf(head)['content-transfer-encoding'] ?? '7bit'
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? unquoted(body.replace(/=\r\n/g, '')) : body
}

const unquoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** RFC 2047. */
const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, how, word) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : unquoted(word.replaceAll('_', ' ')),
    )

/** What a mail says, in words that stand in no catalogue. */
export const written = (texts: {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly posts?: readonly string[]
  readonly button?: { readonly label: string; readonly url: string }
}) => texts as MailContent

/** What the server says in a language, in its words by default. */
export const sayingIn = (code: string): Say => sayIn(languageOf(code)!, { posts: '' })

/** That a mail has this subject and these texts, in a page of that language, and no sentence in another. */
export function assertSaid(
  { subject, text, html }: ReadMail,
  { language }: Say,
  [expected, ...texts]: readonly string[],
): void {
  assert.equal(subject, expected)
  assert.ok(html.includes(`<html lang="${language.code}" dir="${language.dir}">`), html)
  for (const one of texts) {
    assert.ok(text.includes(one), `${one}\nin ${text}`)
    assert.ok(html.includes(escapeMarkup(one)), `${one}\nin ${html}`)
  }
  // Arabic has no letter in common with English: nothing but values, links and names has one.
  if (language.code !== 'ar') return
  const own = text
    .replace(/\u2068[^\u2069]*\u2069|-- \n[^,]*|https?:\S+/g, '')
    .replace(/SPF|DKIM|DMARC/g, '')
  assert.doesNotMatch(own, /[a-z]{2}/i, text)
}

let accounts = 0

/** A mail as it waits, of an account of its own. */
export const waitingMail = (given: Partial<WaitingMail> = {}): WaitingMail => ({
  ...{ id: crypto.randomUUID(), fid: ++accounts, address: 'ada@example.org' },
  kind: 'security',
  content: JSON.stringify({ subject: 'Hello', paragraphs: ['One.', 'Two.'] }),
  ...{ attempts: 0, due: 0, queued_at: 0, expires_at: Number.MAX_SAFE_INTEGER },
  ...given,
})
