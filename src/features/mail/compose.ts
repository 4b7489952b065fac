import { type MailContent, type MailFrame, mailOf } from './message.ts'
import type { Mail } from './smtp.ts'
import type { WaitingMail } from './tables/mails.ts'

// Makes mails of what waits, when they are sent: the name of the server is that of then.

type Framed = Pick<MailFrame, 'id' | 'to' | 'now' | 'why'> & { readonly content: MailContent }

type ComposerContext = {
  readonly from: string
  readonly publicUrl: string
  readonly serverName: () => Promise<string>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export class Composer {
  readonly #context: ComposerContext

  constructor(context: ComposerContext) {
    this.#context = context
  }

  async frame({ content, ...frame }: Framed): Promise<Mail> {
    const { from, publicUrl, serverName } = this.#context
    return mailOf(content, { ...frame, from, publicUrl, serverName: await serverName() })
  }

  async compose({ id, address, kind, content }: WaitingMail): Promise<Mail> {
    const now = this.#context.nowMs()
    return this.frame({ id, to: address, now, why: WHY[kind], content: JSON.parse(content) })
  }
}

const WHY: Readonly<Record<WaitingMail['kind'], string>> = {
  link: 'Somebody has entered this address there. If that was not you, do nothing.',
  security: 'You get this because an account there has this address.',
}
