import type { SmtpPlace } from './settings.ts'

// How mails get to the mail server, and what keeps them from it.

/** Of a server on another continent; a server that hangs is given up then. */
const CONNECT_TIMEOUT_MS = 10_000
/** Between two bytes. Servers that look at mails before they take them need some time. */
const SILENCE_TIMEOUT_MS = 30_000
/** Of one mail in all: a server that sends a byte now and then does not hold the queue. */
const MAIL_TIMEOUT_MS = 60_000
/** Providers refuse many connections at a time. */
export const MAX_CONNECTIONS = 2
/** Of a fault, as operators read it. */
const MAX_REASON_CHARACTERS = 300

/** A mail, ready to be sent. */
export type Mail = {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  readonly date: Date
  readonly headers: Readonly<Record<string, string>>
}

/**
 * `refused`: the server will never take a mail to this address. `later`: it may take it later. `down`: nothing can be sent now,
 * because the server cannot be reached, or does not let this one or its sender in.
 */
export type MailResult =
  | { readonly outcome: 'sent' /** What the server answered. */; readonly said: string }
  | { readonly outcome: 'refused' | 'later' | 'down'; readonly fault: SmtpFault }

export type SmtpFault = {
  readonly found: string
  readonly mend: string
  /** What is wrong in the form of the room. */
  readonly field: 'host' | 'tls' | 'password' | 'from' | 'to'
}

export type Smtp = {
  send(mail: Mail): Promise<MailResult>
  /** Connects and logs in. Undefined when that works. */
  findFault(): Promise<SmtpFault | undefined>
  /** Ends all connections. What is being sent fails. */
  close(): void
}

/** Connections are made when they are needed. */
export async function openSmtp(place: SmtpPlace, timeoutMs = MAIL_TIMEOUT_MS): Promise<Smtp> {
  const { createTransport } = await import('nodemailer')
  const { host, port, tls, isVerified, login } = place
  const transport = createTransport({
    ...{ host, port, pool: true, maxConnections: MAX_CONNECTIONS },
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    tls: { rejectUnauthorized: isVerified },
    ...(login && { auth: login }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Nothing in a mail names a file or an address to be read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const stopped = new AbortController()
  return {
    async send(mail) {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)])
      try {
        const { response } = await transport.sendMail({ ...mail, encoding: 'utf-8', signal })
        return { outcome: 'sent', said: saidOf(response, place) }
      } catch (error) {
        return { outcome: outcomeOf(error as SmtpError), fault: faultOf(error as SmtpError, place) }
      }
    },
    async findFault() {
      try {
        await within(timeoutMs, transport.verify())
        return undefined
      } catch (error) {
        return faultOf(error as SmtpError, place)
      }
    },
    close() {
      stopped.abort(new Error('the program stops'))
      transport.close({ force: true })
    },
  }
}

/** Rejects when the work takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(Object.assign(new Error('the server takes too long'), { code: 'ETIMEDOUT' }))
  }, ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** As the library throws it: with a code of its own, and what the server has answered. */
type SmtpError = Error & {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
  readonly response?: string
}

/** About one mail: its sender, its receiver or its content. */
const OF_MAIL: readonly (string | undefined)[] = ['EENVELOPE', 'EMESSAGE', 'EDATA']
const isPermanent = (status = 0): boolean => status >= 500 && status < 600

/** All mails have the same sender. A content is refused for what the server thinks of the sender, or of links: that may change. */
function outcomeOf({ code, command, responseCode }: SmtpError): 'refused' | 'later' | 'down' {
  if (!OF_MAIL.includes(code) || command === 'MAIL FROM') return 'down'
  return command === 'RCPT TO' && isPermanent(responseCode) ? 'refused' : 'later'
}

const VARIABLE = 'ROOKERY_SMTP_URL'

function faultOf(error: SmtpError, place: SmtpPlace): SmtpFault {
  const { host, port, tls, from, isOfRoom } = place
  const { code, command, message, response = message } = error
  const where = `${host}:${port}`
  const answer = code === 'EABORT' ? 'it takes too long' : response
  const said = saidOf(answer, place)
  const within = isOfRoom ? '' : ` in ${VARIABLE}`
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return {
      found: `${where} does not accept the login (${said})`,
      mend: isOfRoom
        ? 'correct user and password'
        : `correct USER and PASSWORD in ${VARIABLE}, in percent encoding`,
      field: 'password',
    }
  }
  if (OF_MAIL.includes(code)) {
    return {
      found: `${where} does not take the mail (${said})`,
      mend: `correct ${isOfRoom ? `the sender ${from}` : `from=${from} in ${VARIABLE}`}, or the address that it goes to`,
      field: command === 'RCPT TO' ? 'to' : 'from',
    }
  }
  if (code === 'ETLS' || /certificate|self-signed|TLS|SSL/i.test(message)) {
    return {
      found: `${where} has no TLS that can be trusted (${said})`,
      mend:
        tls === 'implicit'
          ? `use the host name of its certificate; where the server begins without TLS, ${isOfRoom ? 'choose STARTTLS and its port' : `write smtp:// and its port in ${VARIABLE}`}`
          : `use the host name of its certificate${within}, or ${isOfRoom ? 'TLS from the start' : 'smtps://'} and port 465`,
      field: 'tls',
    }
  }
  return {
    found: `${where} cannot be reached (${said})`,
    mend: `correct host and port${within}; many providers of machines block port 25 and open 465 or 587 only`,
    field: 'host',
  }
}

/** What a server answers, in one line. */
const saidOf = (answer: string, place: SmtpPlace): string =>
  withoutLogin(answer, place).replace(/\s+/g, ' ').slice(0, MAX_REASON_CHARACTERS)

/** A server may repeat what it was sent. */
function withoutLogin(text: string, { login }: SmtpPlace): string {
  if (!login) return text
  const { user, pass } = login
  const sent = [`\u0000${user}\u0000${pass}`, pass].flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64'),
  ])
  return sent.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
